package otlp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
)

// Names of attributes, by the semantic conventions.
const (
	keyBuildID         = "process.executable.build_id.gnu"
	keyHasFunctions    = "pprof.mapping.has_functions"
	keyHasFilenames    = "pprof.mapping.has_filenames"
	keyHasLineNumbers  = "pprof.mapping.has_line_numbers"
	keyHasInlineFrames = "pprof.mapping.has_inline_frames"
	keyIsFolded        = "pprof.location.is_folded"
	keyComment         = "pprof.profile.comment"
	keyDocURL          = "pprof.profile.doc_url"
	keyDropFrames      = "pprof.profile.drop_frames"
	keyKeepFrames      = "pprof.profile.keep_frames"
)

func text(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: strings.ToValidUTF8(s, "\uFFFD")}}
}

func number(n int64) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}
}

func truth() *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}
}

func texts(list []string) *common.AnyValue { return arrayOf(list, text) }

func arrayOf[T any](list []T, of func(T) *common.AnyValue) *common.AnyValue {
	array := &common.ArrayValue{}
	for _, item := range list {
		array.Values = append(array.Values, of(item))
	}
	return &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: array}}
}

// oneOrAll is the only value of a list, or an array of all.
func oneOrAll[T any](list []T, of func(T) *common.AnyValue) *common.AnyValue {
	if len(list) == 1 {
		return of(list[0])
	}
	return arrayOf(list, of)
}

// attributeList collects indices of attributes.
type attributeList struct {
	dictionary *dictionary
	indices    []int32
	err        error // the first
}

func (l *attributeList) add(key string, value *common.AnyValue, unit string) {
	d := l.dictionary
	i, err := index(d.attributes, &d.message.AttributeTable, &profiles.KeyValueAndUnit{
		KeyStrindex: d.text(key), Value: value, UnitStrindex: d.text(unit),
	})
	if l.err == nil {
		l.err = err
	}
	l.indices = append(l.indices, i)
}

func (l *attributeList) addText(key, value string) {
	if value != "" {
		l.add(key, text(value), "")
	}
}

func (l *attributeList) addTruth(key string, is bool) {
	if is {
		l.add(key, truth(), "")
	}
}

// labels are the attributes of a sample, by name. The attributes of a sample must differ in their names, and each has one unit.
func (d *dictionary) labels(s *profile.Sample) ([]int32, error) {
	l := attributeList{dictionary: d}
	for _, key := range slices.Sorted(maps.Keys(s.Label)) {
		l.add(key, oneOrAll(s.Label[key], text), "")
	}
	for _, key := range slices.Sorted(maps.Keys(s.NumLabel)) {
		units := slices.Compact(slices.Clone(s.NumUnit[key]))
		if _, both := s.Label[key]; both || len(units) > 1 {
			return nil, fmt.Errorf("the sample label %q has values of several kinds or units, which OTLP has no place for", key)
		}
		l.add(key, oneOrAll(s.NumLabel[key], number), strings.Join(units, ""))
	}
	return l.indices, l.err
}

// ofProfile are the attributes of a profile.
func (d *dictionary) ofProfile(p *profile.Profile) ([]int32, error) {
	l := attributeList{dictionary: d}
	if len(p.Comments) > 0 {
		l.add(keyComment, texts(p.Comments), "")
	}
	l.addText(keyDocURL, p.DocURL)
	l.addText(keyDropFrames, p.DropFrames)
	l.addText(keyKeepFrames, p.KeepFrames)
	return l.indices, l.err
}

func (d *dictionary) ofMapping(m *profile.Mapping) ([]int32, error) {
	l := attributeList{dictionary: d}
	l.addText(keyBuildID, m.BuildID)
	l.addTruth(keyHasFunctions, m.HasFunctions)
	l.addTruth(keyHasFilenames, m.HasFilenames)
	l.addTruth(keyHasLineNumbers, m.HasLineNumbers)
	l.addTruth(keyHasInlineFrames, m.HasInlineFrames)
	return l.indices, l.err
}
