package otlp

import (
	"github.com/google/pprof/profile"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
)

// stack returns the index of a stack, from the leaf on.
func (r *conversion) stack(of []*profile.Location) (int32, error) {
	s := &profiles.Stack{LocationIndices: make([]int32, 0, len(of))}
	for _, l := range of {
		i, err := r.location(l)
		if err != nil {
			return 0, err
		}
		s.LocationIndices = append(s.LocationIndices, i)
	}
	return index(r.stacks, &r.message.StackTable, s)
}

func (r *conversion) location(l *profile.Location) (int32, error) {
	if i, is := r.locations[l]; is {
		return i, nil
	}
	converted := &profiles.Location{Address: l.Address}
	var err error
	if converted.MappingIndex, err = r.mapping(l.Mapping); err != nil {
		return 0, err
	}
	for _, line := range l.Line {
		function, err := r.function(line.Function)
		if err != nil {
			return 0, err
		}
		converted.Lines = append(converted.Lines, &profiles.Line{FunctionIndex: function, Line: line.Line, Column: line.Column})
	}
	attributes := attributeList{dictionary: r.dictionary}
	attributes.addTruth(keyIsFolded, l.IsFolded)
	if attributes.err != nil {
		return 0, attributes.err
	}
	converted.AttributeIndices = attributes.indices
	i, err := index(r.dictionary.locations, &r.message.LocationTable, converted)
	r.locations[l] = i
	return i, err
}

// mapping returns the index of a mapping, 0 for none.
func (r *conversion) mapping(m *profile.Mapping) (int32, error) {
	if m == nil {
		return 0, nil
	}
	if i, is := r.mappings[m]; is {
		return i, nil
	}
	attributes, err := r.ofMapping(m)
	if err != nil {
		return 0, err
	}
	i, err := index(r.dictionary.mappings, &r.message.MappingTable, &profiles.Mapping{
		MemoryStart: m.Start, MemoryLimit: m.Limit, FileOffset: m.Offset, FilenameStrindex: r.text(m.File), AttributeIndices: attributes,
	})
	r.mappings[m] = i
	return i, err
}

func (r *conversion) function(f *profile.Function) (int32, error) {
	if f == nil {
		return 0, nil
	}
	return index(r.functions, &r.message.FunctionTable, &profiles.Function{
		NameStrindex: r.text(f.Name), SystemNameStrindex: r.text(f.SystemName),
		FilenameStrindex: r.text(f.Filename), StartLine: f.StartLine,
	})
}
