package check

import "fmt"

type ruleID int

const (
	stringZero ruleID = iota
	stringUTF8
	stringReference
	stringTwice
	stringLength
	mappingID
	functionID
	locationID
	idZero
	idTwice
	mappingReference
	functionReference
	locationReference
	mappingMain
	mappingTwice
	mappingRange
	mappingForm
	mappingBuildID
	hasFunctions
	functionName
	functionTwice
	locationTwice
	locationEmpty
	locationMapping
	lineFunction
	sampleTypes
	sampleTypeName
	sampleTypeTwice
	defaultSampleType
	valueCount
	valueNegative
	valueZero
	stackEmpty
	stackDepth
	labelKey
	labelValue
	labelTwice
	labelName
	labelLength
	labelCount
	labelCardinality
	timeAgain
	timeAbsurd
	durationAbsurd
	periodType
	periodAbsent
	frameFilter
	profileSize
	sampleCount
	ruleCount
)

// Pyroscope's defaults: grafana/pyroscope, pkg/validation/limits.go.
const (
	pyroscopeBytes       = 4 << 20
	pyroscopeSamples     = 16_000
	pyroscopeDepth       = 1000
	pyroscopeSymbol      = 65_535
	pyroscopeLabels      = 30 // labels of a series, its own included
	pyroscopeLabelName   = 1024
	pyroscopeLabelValue  = 2048
	manyValuesOfOneLabel = 100 // of 5000 series that a tenant may have
)

// The sources that the sentences speak of, as they were in August 2026:
//
//	go tool pprof   google/pprof, profile/encode.go (postDecode), profile/profile.go (CheckValid), profile/index.go
//	Parca           parca-dev/parca, pkg/normalizer/validate.go, normalizer.go; pkg/profile/encode.go
//	Pyroscope       grafana/pyroscope, pkg/validation/validate.go; pkg/pprof/pprof.go (Normalize, sanitizeProfile)
var rules = [ruleCount]Rule{
	// encode.go: "string_table[0] must be ''"; validate.go of both servers.
	stringZero: {"string-0", Error, "the string table does not begin with the empty string: all readers refuse the profile"},
	// Pyroscope's validate.go: "invalid utf8 string".
	stringUTF8: {"string-utf8", Error, "a string is not UTF-8: Pyroscope refuses the profile"},
	// profile/proto.go, getString: errMalformed. Both servers index with it, and check only the upper bound.
	stringReference: {"string-reference", Error, "a string is referred to that does not exist: go tool pprof and Parca refuse the profile"},
	// GroupSamplesByLabels in pprof.go compares labels by the number of their strings.
	stringTwice: {"string-twice", Warning, "a string is in the table twice: Pyroscope makes two series of a label that has both"},
	// validate.go cuts the front off.
	stringLength: {"string-length", Warning, "a string is longer than 65,535 bytes: Pyroscope cuts it"},

	// Parca's validate.go: "mapping id is not sequential", and so on.
	mappingID:  {"mapping-id", Error, "the ID is not index + 1: Parca refuses the profile"},
	functionID: {"function-id", Error, "the ID is not index + 1: Parca refuses the profile"},
	locationID: {"location-id", Error, "the ID is not index + 1: Parca refuses the profile"},
	// CheckValid: "found mapping with reserved ID=0".
	idZero: {"id-0", Error, "the ID is 0, which means none: go tool pprof and Parca refuse the profile"},
	// CheckValid: "multiple mappings with same id".
	idTwice: {"id-twice", Error, "another one has this ID: go tool pprof and Parca refuse the profile"},
	// Parca's validate.go: "location has invalid mapping id"; sanitizeProfile drops the location and its samples.
	mappingReference: {"mapping-reference", Error, "the mapping does not exist: Parca refuses the profile, Pyroscope drops the samples"},
	// CheckValid: "location id: %d has a line with nil function".
	functionReference: {"function-reference", Error, "the function does not exist: go tool pprof and Parca refuse the profile"},
	// CheckValid: "sample has nil location"; Parca: "location ids of stacktraces must be non-zero".
	locationReference: {"location-reference", Error, "the location does not exist: go tool pprof and Parca refuse the profile"},

	// massageMappings in profile.go guesses the same way.
	mappingMain:  {"mapping-main", Warning, "the first mapping is not the main binary, and viewers take it for that"},
	mappingTwice: {"mapping-twice", Warning, "another mapping has the same content: viewers show one file as two"},
	// pprof opens the file with this range (internal/symbolizer), and finds nothing in it.
	mappingRange: {"mapping-range", Error, "the range is empty although there are addresses to be named under it: go tool pprof cannot name them"},
	mappingForm:  {"mapping-form", Warning, "addresses are left to be named, and not all readers can do it: they agree only on ELF addresses in a mapping with start 0, limit 2^64-1 and offset 0"},
	mappingBuildID: {"mapping-build-id", Warning,
		"addresses are left to be named, and without a build ID no server finds the debug file"},
	// clearAddresses in pprof.go, and internal/symbolizer: no reader looks for names under such a mapping.
	hasFunctions: {"has-functions", Error, "the mapping claims to have its names but this location has none: Pyroscope shows 0x0, go tool pprof never looks for one"},

	functionName:  {"function-name", Warning, "the function has no name: viewers show an empty one"},
	functionTwice: {"function-twice", Warning, "another function has the same name, system name, file and start line: the profile is larger than it need be"},
	locationTwice: {"location-twice", Warning, "another location has the same mapping and address: the profile is larger than it need be"},
	// sanitizeProfile: locationEmpty.
	locationEmpty:   {"location-empty", Error, "the location has neither an address nor a line: Pyroscope drops all samples with it"},
	locationMapping: {"location-mapping", Warning, "the location has no name, and no mapping that could lead to one"},
	// CheckValid: "has a line with nil function"; sanitizeProfile: locationFunctionInvalid.
	lineFunction: {"line-function", Error, "the line has no function: go tool pprof refuses the profile, Pyroscope drops the samples"},

	// CheckValid: "missing sample type information"; Pyroscope: "empty profile".
	sampleTypes: {"sample-types", Error, "there are no sample types: Pyroscope refuses the profile, go tool pprof and Parca any sample in it"},
	// Pyroscope's validate.go: "sample type contains -".
	sampleTypeName: {"sample-type-name", Error, "the sample type has no name, which no reader can ask for, or one with a '-', which Pyroscope refuses"},
	// SampleIndexByName in profile/index.go takes the first.
	sampleTypeTwice: {"sample-type-twice", Warning, "another sample type has this name: go tool pprof can show only the first"},
	// SampleIndexByName silently falls back to the last type.
	defaultSampleType: {"default-sample-type", Error, "the default sample type does not exist: go tool pprof silently shows the last one"},
	valueCount:        {"value-count", Error, "the sample has not one value for each type: go tool pprof, Parca and Pyroscope refuse the profile"},
	// Normalize: sampleValueNegative, sampleValueZero.
	valueNegative: {"value-negative", Warning, "a value is negative, as only a difference may be: Pyroscope drops the sample"},
	valueZero:     {"value-zero", Warning, "all values are 0: servers drop the sample"},
	stackEmpty:    {"stack-empty", Warning, "the sample has no stack: viewers count it and cannot show it"},
	// validate.go: "Truncate the deepest frames".
	stackDepth: {"stack-depth", Warning, "the stack is deeper than 1000 frames: Pyroscope cuts off the leaf"},

	// Parca's validate.go: "has no key".
	labelKey:   {"label-key", Error, "the label has no key: Parca refuses the profile"},
	labelValue: {"label-value", Error, "the label has not exactly one of a text and a number with its unit: go tool pprof shows the text only, or nothing"},
	// LabelsFromSample in normalizer.go takes the first; addSampleLabelsToLabelsBuilder in pkg/model/pprofsplit too.
	labelTwice: {"label-twice", Error, "another label of the sample has this key: Parca and Pyroscope take the first only"},
	// SanitizeLegacyLabelName in Pyroscope's validate.go; strutil.SanitizeLabelName in Parca's normalizer.go.
	labelName:   {"label-name", Warning, "the key is not letters, digits, '_' and '.': Parca replaces the rest, and Pyroscope refuses the profile unless validation.disable-label-sanitization is on"},
	labelLength: {"label-length", Warning, "the key is longer than 1024 bytes or the text than 2048: Pyroscope refuses the profile by default"},
	labelCount:  {"label-count", Warning, "the sample has more than 30 labels with texts: Pyroscope refuses the profile by default"},
	// pkg/model/pprofsplit makes a series of each group of samples with equal texts, but for three keys.
	labelCardinality: {"label-cardinality", Warning, "the label has more than 100 different texts: Pyroscope makes a series of each"},

	// encode.go: errConcatProfile.
	timeAgain: {"time-twice", Error, "there is a second time, as when two profiles are put together: go tool pprof refuses the profile"},
	// MetaFromPprof in Parca's normalizer.go stores what is there; Pyroscope has an ingestion window.
	timeAbsurd: {"time", Error, "the time is missing, or not between 2000 and 2200 in nanoseconds: Parca stores the profile under that time, outside of what its users query"},
	// pkg/parcacol/querier.go of Parca: a profile is a delta if duration is not 0, and listed as one only if it is above 0.
	durationAbsurd: {"duration", Error, "the duration is negative or longer than a year: Parca takes the profile for a delta over that time"},
	// visitAllNameReferences in pprof.go reads it without asking.
	periodType:   {"period-type", Error, "the period type is missing or has no name: Pyroscope reads it unchecked when it removes dropped samples, and Parca distinguishes profiles by it"},
	periodAbsent: {"period", Warning, "the period is not above 0: viewers cannot tell how samples were taken"},
	// Neither server ever reads the two fields.
	frameFilter: {"frame-filter", Warning, "drop_frames or keep_frames is set: go tool pprof applies it, servers do not"},
	profileSize: {"profile-size", Warning, "the profile is larger than 4 MiB uncompressed: Pyroscope refuses it by default"},
	sampleCount: {"sample-count", Warning, "the profile has more than 16,000 samples: Pyroscope refuses it by default"},
}

// Severity is how bad a fault is.
type Severity uint8

// The severities. An Error is refused or misread by at least one reader, which the rule's sentence names. A Warning is read,
// but costs something, or shows less than it could.
const (
	Warning Severity = iota
	Error
)

func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// Rule is a rule that a good profile keeps.
type Rule struct {
	Name     string
	Severity Severity
	Sentence string // what is wrong, and the consequence
}

// Fault is a rule that a profile breaks.
type Fault struct {
	Rule
	Where string // the first position, such as "sample[3].label[0]"; numbers are indexes, from 0
	Count int    // how many positions there are
}

// String returns the fault in one line.
func (f Fault) String() string {
	text := fmt.Sprintf("%v %s: %s: %s", f.Severity, f.Name, f.Where, f.Sentence)
	if f.Count > 1 {
		text += fmt.Sprintf(" (%d times)", f.Count)
	}
	return text
}

// faults holds at most one Fault of each rule, however broken the profile is.
type faults [ruleCount]Fault

// found records a position that breaks a rule. Only the first one is formatted.
func (f *faults) found(r ruleID, where string, args ...any) {
	if f[r].Count == 0 {
		f[r] = Fault{Rule: rules[r], Where: fmt.Sprintf(where, args...)}
	}
	f[r].Count++
}

func (f *faults) list() (list []Fault) {
	for i := range f {
		if f[i].Count > 0 {
			list = append(list, f[i])
		}
	}
	return list
}
