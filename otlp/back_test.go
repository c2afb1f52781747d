package otlp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
)

// reader reads Profiles of OTLP back, by the description of the protocol alone, and knows nothing of the converter.
type reader struct {
	t *testing.T
	d *profiles.ProfilesDictionary
}

func (r *reader) text(i int32) string { return r.d.StringTable[i] }

// attributes are written as key=value, with the unit.
func (r *reader) attributes(indices []int32) map[string]string {
	all := map[string]string{}
	for _, i := range indices {
		a := r.d.AttributeTable[i]
		key := r.text(a.KeyStrindex)
		if _, twice := all[key]; twice || i == 0 {
			r.t.Errorf("attribute %d, %q, is there twice or is none", i, key)
		}
		all[key] = valueText(a.Value) + r.text(a.UnitStrindex)
	}
	return all
}

func valueText(v *common.AnyValue) string {
	switch of := v.Value.(type) {
	case *common.AnyValue_StringValue:
		return fmt.Sprintf("%q", of.StringValue)
	case *common.AnyValue_IntValue:
		return fmt.Sprint(of.IntValue)
	case *common.AnyValue_BoolValue:
		return fmt.Sprint(of.BoolValue)
	case *common.AnyValue_ArrayValue:
		var list []string
		for _, item := range of.ArrayValue.Values {
			list = append(list, valueText(item))
		}
		return strings.Join(list, ",")
	}
	return fmt.Sprintf("unknown %T", v.Value)
}

// flags are the attributes of a mapping that are yes or no, as letters.
func flags(functions, filenames, lines, inlined bool) string {
	return fmt.Sprintf("functions=%v files=%v lines=%v inlined=%v", functions, filenames, lines, inlined)
}

func (r *reader) mapping(i int32) string {
	if i == 0 {
		return "none"
	}
	m, a := r.d.MappingTable[i], r.attributes(r.d.MappingTable[i].AttributeIndices)
	has := func(key string) bool { return a["pprof.mapping.has_"+key] == "true" }
	return fmt.Sprintf("%#x-%#x at %#x %q %s %s", m.MemoryStart, m.MemoryLimit, m.FileOffset, r.text(m.FilenameStrindex),
		a["process.executable.build_id.gnu"], flags(has("functions"), has("filenames"), has("line_numbers"), has("inline_frames")))
}

func (r *reader) location(i int32) string {
	l := r.d.LocationTable[i]
	text := fmt.Sprintf("%#x folded=%v in %s", l.Address, r.attributes(l.AttributeIndices)["pprof.location.is_folded"] == "true", r.mapping(l.MappingIndex))
	for _, line := range l.Lines {
		f := r.d.FunctionTable[line.FunctionIndex]
		text += fmt.Sprintf("\n    %q %q %q from %d, line %d:%d", r.text(f.NameStrindex), r.text(f.SystemNameStrindex),
			r.text(f.FilenameStrindex), f.StartLine, line.Line, line.Column)
	}
	return text
}

func (r *reader) valueType(t *profiles.ValueType) string {
	return r.text(t.GetTypeStrindex()) + ":" + r.text(t.GetUnitStrindex())
}

// described is what a profile consists of: a line for each sample and type, without the order of samples, and for what is of
// the whole.
type described struct {
	Header   map[string]string // by sample type
	Values   map[string]int64  // by sample type, labels and stack
	Mappings []string
}

func (r *reader) describe(list []*profiles.Profile) described {
	d := described{Header: map[string]string{}, Values: map[string]int64{}}
	for _, p := range list {
		kind := r.valueType(p.SampleType)
		a := r.attributes(p.AttributeIndices)
		d.Header[kind] = header(p.TimeUnixNano, p.DurationNano, p.Period, r.valueType(p.PeriodType),
			a["pprof.profile.comment"], a["pprof.profile.doc_url"], a["pprof.profile.drop_frames"], a["pprof.profile.keep_frames"])
		for _, s := range p.Samples {
			key := kind + " " + pairs(r.attributes(s.AttributeIndices))
			for _, l := range r.d.StackTable[s.StackIndex].LocationIndices {
				key += "\n  " + r.location(l)
			}
			if _, twice := d.Values[key]; twice || len(s.Values) != 1 || s.Values[0] == 0 || len(s.TimestampsUnixNano) > 0 {
				r.t.Errorf("a sample is there twice, or has the values %d: %s", s.Values, key)
			}
			d.Values[key] = s.Values[0]
		}
	}
	for i := range r.d.MappingTable {
		d.Mappings = append(d.Mappings, r.mapping(int32(i)))
	}
	return d
}

func header(values ...any) string { return fmt.Sprintln(values...) }

func pairs(of map[string]string) string {
	text := ""
	for _, key := range slices.Sorted(maps.Keys(of)) {
		text += key + "=" + of[key] + " "
	}
	return text
}

// describe describes profiles of pprof in the same words.
func describe(list ...*profile.Profile) described {
	d := described{Header: map[string]string{}, Values: map[string]int64{}, Mappings: []string{"none"}}
	for _, p := range list {
		for column, t := range p.SampleType {
			kind := t.Type + ":" + t.Unit
			period := profile.ValueType{}
			if p.PeriodType != nil {
				period = *p.PeriodType
			}
			d.Header[kind] = header(p.TimeNanos, p.DurationNanos, p.Period, period.Type+":"+period.Unit,
				joined(p.Comments, quoted), quotedOrNone(p.DocURL), quotedOrNone(p.DropFrames), quotedOrNone(p.KeepFrames))
			for _, s := range p.Sample {
				if s.Value[column] != 0 {
					d.Values[kind+" "+pairs(labelsOf(s))+stackOf(s)] += s.Value[column]
				}
			}
		}
		for _, m := range p.Mapping {
			if text := mappingText(m); !slices.Contains(d.Mappings, text) {
				d.Mappings = append(d.Mappings, text)
			}
		}
	}
	return d
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func quotedOrNone(s string) string {
	if s == "" {
		return ""
	}
	return quoted(s)
}

func joined[T any](list []T, text func(T) string) string {
	var texts []string
	for _, item := range list {
		texts = append(texts, text(item))
	}
	return strings.Join(texts, ",")
}

func labelsOf(s *profile.Sample) map[string]string {
	all := map[string]string{}
	for key, values := range s.Label {
		all[key] = joined(values, quoted)
	}
	for key, values := range s.NumLabel {
		all[key] = joined(values, func(n int64) string { return fmt.Sprint(n) })
		if units := s.NumUnit[key]; len(units) > 0 {
			all[key] += units[0]
		}
	}
	return all
}

func stackOf(s *profile.Sample) string {
	text := ""
	for _, l := range s.Location {
		text += fmt.Sprintf("\n  %#x folded=%v in %s", l.Address, l.IsFolded, mappingText(l.Mapping))
		for _, line := range l.Line {
			text += fmt.Sprintf("\n    %q %q %q from %d, line %d:%d", line.Function.Name, line.Function.SystemName,
				line.Function.Filename, line.Function.StartLine, line.Line, line.Column)
		}
	}
	return text
}

func mappingText(m *profile.Mapping) string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("%#x-%#x at %#x %q %s %s", m.Start, m.Limit, m.Offset, m.File, quotedOrNone(m.BuildID),
		flags(m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames))
}
