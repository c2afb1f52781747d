package otlp

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/google/pprof/profile"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
)

// converter converts the profiles of one request, which share its dictionary.
type converter struct{ dictionary *dictionary }

func newConverter() *converter { return &converter{newDictionary()} }

// conversion is that of one profile. It has the index of each of the profile's items.
type conversion struct {
	*dictionary
	mappings  map[*profile.Mapping]int32
	locations map[*profile.Location]int32
}

// convert makes a Profile of each sample type, the default one first. All mappings are kept, in their order, because the first
// is that of the program itself. content is the hash of what p was read from.
func (c *converter) convert(p *profile.Profile, content [sha256.Size]byte) ([]*profiles.Profile, error) {
	run := &conversion{c.dictionary, map[*profile.Mapping]int32{}, map[*profile.Location]int32{}}
	for _, m := range p.Mapping {
		if _, err := run.mapping(m); err != nil {
			return nil, err
		}
	}
	identities, err := run.identities(p.Sample)
	if err != nil {
		return nil, err
	}
	attributes, err := run.ofProfile(p)
	if err != nil {
		return nil, err
	}
	var list []*profiles.Profile
	for column := range p.SampleType {
		one := run.header(p, column)
		one.Samples = samples(p.Sample, identities, column)
		one.AttributeIndices = attributes
		one.ProfileId = idOf(content, column)
		if isDefault(p, column) {
			list = slices.Insert(list, 0, one)
		} else {
			list = append(list, one)
		}
	}
	return list, nil
}

// isDefault reports whether viewers show a column first: without a name, that is the last one.
func isDefault(p *profile.Profile, column int) bool {
	if p.DefaultSampleType == "" {
		return column == len(p.SampleType)-1
	}
	return p.SampleType[column].Type == p.DefaultSampleType
}

func (r *conversion) header(p *profile.Profile, column int) *profiles.Profile {
	return &profiles.Profile{
		SampleType:   r.valueType(p.SampleType[column]),
		TimeUnixNano: uint64(max(0, p.TimeNanos)),
		DurationNano: uint64(max(0, p.DurationNanos)),
		PeriodType:   r.valueType(p.PeriodType),
		Period:       p.Period,
	}
}

func (r *conversion) valueType(t *profile.ValueType) *profiles.ValueType {
	if t == nil {
		return nil
	}
	return &profiles.ValueType{TypeStrindex: r.text(t.Type), UnitStrindex: r.text(t.Unit)}
}

// identity is what distinguishes samples: those that have the same are one.
type identity struct {
	stack      int32
	attributes []int32
}

func (i identity) key() string {
	key := strconv.AppendInt(nil, int64(i.stack), 10)
	for _, a := range i.attributes {
		key = strconv.AppendInt(append(key, ' '), int64(a), 10)
	}
	return string(key)
}

func (r *conversion) identities(samples []*profile.Sample) ([]identity, error) {
	list := make([]identity, 0, len(samples))
	for _, s := range samples {
		stack, err := r.stack(s.Location)
		if err != nil {
			return nil, err
		}
		attributes, err := r.labels(s)
		if err != nil {
			return nil, err
		}
		list = append(list, identity{stack, attributes})
	}
	return list, nil
}

// samples are those that are not 0 in a column. Their values are added up where they have the same identity.
func samples(of []*profile.Sample, identities []identity, column int) (list []*profiles.Sample) {
	known := map[string]*profiles.Sample{}
	for i, s := range of {
		amount := s.Value[column]
		if amount == 0 {
			continue
		}
		key := identities[i].key()
		if same := known[key]; same != nil {
			same.Values[0] += amount
			continue
		}
		known[key] = &profiles.Sample{StackIndex: identities[i].stack, AttributeIndices: identities[i].attributes, Values: []int64{amount}}
		list = append(list, known[key])
	}
	return list
}

// idOf is the same for a profile that is sent again, and differs for all others, because each has its time.
func idOf(content [sha256.Size]byte, column int) []byte {
	id := sha256.Sum256(binary.AppendUvarint(content[:], uint64(column)))
	return id[:16]
}
