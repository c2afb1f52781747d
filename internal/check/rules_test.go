package check

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(faults []Fault) (all []string) {
	for _, f := range faults {
		all = append(all, f.Name)
	}
	return all
}

func faultsOf(t *testing.T, d *draft) []Fault {
	t.Helper()
	faults, err := Profile(bytes.NewReader(d.encode()))
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

func TestHealthyProfileHasNoFault(t *testing.T) {
	for _, f := range faultsOf(t, healthy()) {
		t.Error(f)
	}
}

// breaks has for each rule a change that breaks it and no other in a healthy profile, and where that is seen.
var breaks = map[ruleID]struct {
	where string
	do    func(d *draft)
}{
	stringZero: {"string_table[0]", func(d *draft) { d.strings[0] = "not empty" }},
	stringUTF8: {"string_table[2]", func(d *draft) { d.strings[2] = "\xff" }},
	stringReference: {"function[0].system_name", func(d *draft) {
		d.functions[0].system = int64(len(d.strings))
	}},
	stringTwice:       {"string_table[13]", func(d *draft) { d.strings = append(d.strings, "leak.go") }},
	stringLength:      {"string_table[13]", func(d *draft) { d.strings = append(d.strings, strings.Repeat("x", 65_536)) }},
	mappingID:         {"mapping[1]", func(d *draft) { d.mappings[1].id, d.locations[0].mapping = 9, 9 }},
	functionID:        {"function[0]", func(d *draft) { d.functions[0].id, d.locations[0].lines[0] = 9, 9 }},
	locationID:        {"location[1]", func(d *draft) { d.locations[1].id, d.samples[0].locations[1], d.samples[1].locations[0] = 9, 9, 9 }},
	idZero:            {"function[1]", func(d *draft) { d.functions = append(d.functions, function{name: 1}) }},
	idTwice:           {"function[1]", func(d *draft) { d.functions = append(d.functions, function{id: 1, name: 1}) }},
	mappingReference:  {"location[1]", func(d *draft) { d.locations[1].mapping = 3 }},
	functionReference: {"location[0].line[1]", func(d *draft) { d.locations[0].lines = []uint64{1, 2} }},
	locationReference: {"sample[1].location_id[0]", func(d *draft) { d.samples[1].locations[0] = 3 }},
	mappingMain: {"mapping[0]", func(d *draft) {
		d.mappings = append(d.mappings, mapping{id: 3, limit: 1, file: d.text("/usr/bin/other")})
		d.mappings[0].file, d.mappings[1].file = d.text("/lib/libc.so.6"), d.text("[vdso]")
	}},
	mappingTwice: {"mapping[2]", func(d *draft) { m := d.mappings[0]; m.id = 3; d.mappings = append(d.mappings, m) }},
	mappingRange: {"mapping[0], for location[1]", func(d *draft) { d.mappings[0].limit = 0 }},
	mappingForm:  {"mapping[0], for location[1]", func(d *draft) { d.mappings[0].start = 0x1000 }},
	mappingBuildID: {"mapping[0], for location[1]", func(d *draft) {
		d.mappings[0].buildID = 0
	}},
	hasFunctions:  {"location[1] under mapping[1]", func(d *draft) { d.locations[1].mapping, d.locations[1].address = 2, 0x2000 }},
	functionName:  {"function[1]", func(d *draft) { d.functions = append(d.functions, function{id: 2}) }},
	functionTwice: {"function[1]", func(d *draft) { f := d.functions[0]; f.id = 2; d.functions = append(d.functions, f) }},
	locationTwice: {"location[2]", func(d *draft) {
		d.locations = append(d.locations, location{id: 3, mapping: 2, address: 0x1000, lines: []uint64{1, 1}})
	}},
	locationEmpty:     {"location[1]", func(d *draft) { d.locations[1].address = 0 }},
	locationMapping:   {"location[1]", func(d *draft) { d.locations[1].mapping = 0 }},
	lineFunction:      {"location[0].line[1]", func(d *draft) { d.locations[0].lines = []uint64{1, 0} }},
	sampleTypes:       {"sample_type", func(d *draft) { d.types, d.samples, d.numbers[fieldDefaultType] = nil, nil, 0 }},
	sampleTypeName:    {`sample_type[0] "in-use"`, func(d *draft) { d.types[0].kind = d.text("in-use") }},
	sampleTypeTwice:   {`sample_type[1] "inuse_space"`, func(d *draft) { d.types[0].kind = d.types[1].kind }},
	defaultSampleType: {`default_sample_type "heap"`, func(d *draft) { d.numbers[fieldDefaultType] = d.text("heap") }},
	valueCount:        {"sample[1]", func(d *draft) { d.samples[1].values = []int64{1} }},
	valueNegative:     {"sample[1]", func(d *draft) { d.samples[1].values[0] = -1 }},
	valueZero:         {"sample[1]", func(d *draft) { d.samples[1].values[1] = 0 }},
	stackEmpty:        {"sample[1]", func(d *draft) { d.samples[1].locations = nil }},
	stackDepth:        {"sample[1]", func(d *draft) { d.samples[1].locations = deep(1001) }},
	labelKey:          {"sample[1].label[0]", func(d *draft) { d.samples[1].labels[0].key = 0 }},
	labelValue:        {`sample[1].label[0] "heap"`, func(d *draft) { d.samples[1].labels[0].number = 1 }},
	labelTwice: {`sample[0], label "bytes"`, func(d *draft) {
		d.samples[0].labels = append(d.samples[0].labels, label{key: d.text("x"), number: 1}, d.samples[0].labels[0])
	}},
	labelName:   {`sample[1].label[0] "a-b"`, func(d *draft) { d.samples[1].labels[0].key = d.text("a-b") }},
	labelLength: {`sample[1].label[0] "heap"`, func(d *draft) { d.samples[1].labels[0].text = d.text(strings.Repeat("x", 2049)) }},
	labelCount: {"sample[1]", func(d *draft) {
		for i := range 30 {
			d.samples[1].labels = append(d.samples[1].labels, label{key: d.text(fmt.Sprint("k", i)), text: 1})
		}
	}},
	labelCardinality: {`sample[101].label[0] "heap"`, func(d *draft) {
		for i := range 110 {
			d.samples = append(d.samples, sample{
				locations: []uint64{1}, values: []int64{1, 1}, labels: []label{{key: d.text("heap"), text: d.text(fmt.Sprint("v", i))}},
			})
		}
	}},
	timeAgain:      {"time_nanos", func(d *draft) { d.tail = []byte{fieldTime << 3}; d.tail = append(d.tail, uvarint(1.7e18)...) }},
	timeAbsurd:     {"time_nanos 1700000000000", func(d *draft) { d.numbers[fieldTime] = 1_700_000_000_000 }},
	durationAbsurd: {"duration_nanos -1", func(d *draft) { d.numbers[fieldDuration] = -1 }},
	periodType:     {"period_type", func(d *draft) { d.period = nil }},
	periodAbsent:   {"period 0", func(d *draft) { d.numbers[fieldPeriod] = 0 }},
	frameFilter:    {`drop_frames "malloc", keep_frames ""`, func(d *draft) { d.numbers[fieldDropFrames] = d.text("malloc") }},
	profileSize: {"4194", func(d *draft) {
		var w wire
		w.content(99, make([]byte, 4<<20))
		d.tail = w.Bytes()
	}},
	sampleCount: {"16001 samples", func(d *draft) {
		for len(d.samples) < 16_001 {
			d.samples = append(d.samples, d.samples[0])
		}
	}},
}

func uvarint(v uint64) []byte { var w wire; w.uvarint(v); return w.Bytes() }

func deep(n int) []uint64 {
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = 1
	}
	return ids
}

func TestEachRuleIsBrokenAlone(t *testing.T) {
	for r := range ruleCount {
		t.Run(rules[r].Name, func(t *testing.T) {
			broken, ok := breaks[r]
			if !ok {
				t.Fatal("there is no profile that breaks this rule")
			}
			d := healthy()
			broken.do(d)
			faults := faultsOf(t, d)
			if diff := cmp.Diff([]string{rules[r].Name}, names(faults)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%v", diff, faults)
			}
			if !strings.HasPrefix(faults[0].Where, broken.where) || faults[0].Rule != rules[r] {
				t.Errorf("found at %q, want %q", faults[0].Where, broken.where)
			}
		})
	}
}

// Profiles that are just inside of a limit, or look odd and are right.
func TestWhatIsAllowed(t *testing.T) {
	for about, do := range map[string]func(d *draft){
		"a number 0 that has a unit":           func(d *draft) { d.samples[0].labels[0].number = 0 },
		"a number without a unit":              func(d *draft) { d.samples[0].labels[0].unit = 0 },
		"no default sample type":               func(d *draft) { d.numbers[fieldDefaultType] = 0 },
		"runtime addresses, all of them named": func(d *draft) { d.mappings[1].start, d.mappings[1].limit = 0x400000, 0x500000 },
		"a range of nothing, with names":       func(d *draft) { d.mappings[1].limit = 0 },
		"a name without mapping or address":    func(d *draft) { d.locations[0].mapping, d.locations[0].address = 0, 0 },
		"libraries only":                       func(d *draft) { d.mappings[0].file = d.text("a.so"); d.mappings[1].file = d.text("b.so.1") },
		"a mapping without a file":             func(d *draft) { d.mappings = append(d.mappings, mapping{id: 3, limit: 5}) },
		"1000 frames":                          func(d *draft) { d.samples[0].locations = deep(1000) },
		"a duration of a year":                 func(d *draft) { d.numbers[fieldDuration] = 365 * 24 * 3600 * 1e9 },
		"an address at the top": func(d *draft) {
			d.locations[1].address = math.MaxUint64
		},
		"a thousand spans": func(d *draft) {
			for i := range 1000 {
				s := d.samples[1]
				s.labels = []label{{key: d.text("span_id"), text: d.text(fmt.Sprint(i))}}
				d.samples = append(d.samples, s)
			}
		},
		"fields that are not known": func(d *draft) {
			d.tail = append(uvarint(99<<3|kindFixed64), make([]byte, 8)...)
			d.tail = append(append(d.tail, uvarint(98<<3|kindFixed32)...), make([]byte, 4)...)
		},
	} {
		d := healthy()
		do(d)
		for _, f := range faultsOf(t, d) {
			t.Errorf("%s: %v", about, f)
		}
	}
}

func TestFaultCountsItsPlacesAndNamesTheFirst(t *testing.T) {
	d := healthy()
	d.samples[0].values[0], d.samples[1].values[1] = -1, -1
	faults := faultsOf(t, d)
	const want = "warning value-negative: sample[0]: a value is negative, as only a difference may be: Pyroscope drops the sample (2 times)"
	if len(faults) != 1 || faults[0].String() != want {
		t.Errorf("got %v, want %s", faults, want)
	}
}

func TestRulesHaveDifferentNamesAndSentences(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if r.Name == "" || r.Sentence == "" || seen[r.Name] {
			t.Errorf("%+v", r)
		}
		if r.Severity == Error && !strings.Contains(r.Sentence, "pprof") && !strings.Contains(r.Sentence, "Parca") &&
			!strings.Contains(r.Sentence, "Pyroscope") && !strings.Contains(r.Sentence, "all readers") {
			t.Errorf("%s is an error of no reader", r.Name)
		}
		seen[r.Name] = true
	}
}
