package pprof

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/stack"
)

// recording is the content of a profile. The encoder is one road from it to a profile; slowRoad is the other.
type recording struct {
	header  Header
	samples []recordedSample
}

type recordedSample struct {
	locations []Location
	values    stack.Values
	blockSize int64
	labels    []stack.Label
	comment   string // given after the sample
}

func (r *recording) write(w io.Writer) error {
	e := NewEncoder(w, r.header)
	for i := range r.samples {
		if err := r.samples[i].write(e); err != nil {
			return err
		}
	}
	return e.Close()
}

func (s *recordedSample) write(e *Encoder) error {
	var frames []LocationID
	for _, l := range s.locations {
		frames = append(frames, e.Location(l))
	}
	sample := stack.Sample{Values: s.values, BlockSize: s.blockSize, Labels: s.labels}
	if err := e.Sample(frames, &sample); err != nil {
		return err
	}
	if s.comment != "" {
		e.Comment(s.comment)
	}
	return nil
}

// read writes the recording and parses the result with google/pprof.
func (r *recording) read(t testing.TB) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	return parse(t, b.Bytes())
}

func parse(t testing.TB, b []byte) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// slowRoad builds the same profile as an object of google/pprof, looking for equals by going through all there is.
func (r *recording) slowRoad() *profile.Profile {
	p := &profile.Profile{
		SampleType:        r.header.slowTypes(),
		DefaultSampleType: r.header.DefaultType,
		PeriodType:        &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:            r.header.SampleBytes,
		DurationNanos:     int64(r.header.Duration),
	}
	if p.DefaultSampleType == "" {
		p.DefaultSampleType = p.SampleType[len(p.SampleType)-1].Type
	}
	if r.header.Time != (time.Time{}) {
		p.TimeNanos = r.header.Time.UnixNano()
	}
	for _, c := range r.header.Comments {
		p.Comments = append(p.Comments, valid(c))
	}
	road := slowRoad{p, r.header.Columns, map[*profile.Mapping]bool{}}
	road.mapping(r.header.Main, true)
	for i := range r.samples {
		road.sample(&r.samples[i])
	}
	return p
}

func (h *Header) slowTypes() []*profile.ValueType {
	var types []*profile.ValueType
	if h.Columns != InuseColumns {
		types = append(types, &profile.ValueType{Type: "alloc_objects", Unit: "count"}, &profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	}
	if h.Columns != AllocatedColumns {
		types = append(types, &profile.ValueType{Type: "inuse_objects", Unit: "count"}, &profile.ValueType{Type: "inuse_space", Unit: "bytes"})
	}
	return types
}

// slowLabels are the labels of one sample by their keys.
type slowLabels map[string]stack.Label

func (s slowLabels) add(l stack.Label) {
	key := valid(l.Key)
	if _, repeated := s[key]; !repeated && key != "" && (l.Text != "" || l.Unit != "") {
		s[key] = l
	}
}

func (s slowLabels) setOn(sample *profile.Sample) {
	sample.Label, sample.NumLabel, sample.NumUnit = map[string][]string{}, map[string][]int64{}, map[string][]string{}
	for key, l := range s {
		if l.Unit == "" {
			sample.Label[key] = []string{valid(l.Text)}
		} else {
			sample.NumLabel[key], sample.NumUnit[key] = []int64{l.Number}, []string{valid(l.Unit)}
		}
	}
}

type slowRoad struct {
	*profile.Profile
	columns Columns
	named   map[*profile.Mapping]bool
}

func (r *slowRoad) sample(s *recordedSample) {
	v, labels := s.values, slowLabels{}
	sample := &profile.Sample{}
	if r.columns != InuseColumns {
		sample.Value = append(sample.Value, v.AllocObjects, v.AllocBytes)
	}
	if r.columns != AllocatedColumns {
		sample.Value = append(sample.Value, v.InuseObjects, v.InuseBytes)
	}
	for _, l := range s.locations {
		sample.Location = append(sample.Location, r.location(l))
	}
	if s.blockSize >= 0 {
		labels.add(stack.Label{Key: "bytes", Number: s.blockSize, Unit: "bytes"})
	}
	for _, l := range s.labels {
		labels.add(l)
	}
	labels.setOn(sample)
	r.Sample = append(r.Sample, sample)
	if s.comment != "" {
		r.Comments = append(r.Comments, valid(s.comment))
	}
}

func (r *slowRoad) location(l Location) *profile.Location {
	named := len(l.Lines) > 0
	for _, line := range l.Lines {
		named = named && line.Function.Name != ""
	}
	m := r.mapping(l.Mapping, named)
	for _, known := range r.Location {
		if known.Mapping == m && known.Address == l.Address && len(known.Line) == len(l.Lines) {
			return known
		}
	}
	location := &profile.Location{ID: uint64(len(r.Location) + 1), Mapping: m, Address: l.Address}
	r.Location = append(r.Location, location)
	for _, line := range l.Lines {
		f := r.function(line.Function)
		location.Line = append(location.Line, profile.Line{Function: f, Line: line.Line, Column: line.Column})
		if m != nil && named {
			m.HasFunctions = true
			m.HasFilenames = m.HasFilenames || f.Filename != ""
			m.HasLineNumbers = m.HasLineNumbers || line.Line != 0
			m.HasInlineFrames = len(l.Lines) > 1 || m.HasInlineFrames
		}
	}
	return location
}

func (r *slowRoad) mapping(m Mapping, named bool) *profile.Mapping {
	if m == (Mapping{}) {
		return nil
	}
	for _, known := range r.Mapping {
		if known.File == valid(m.File) && known.BuildID == valid(m.BuildID) && r.named[known] == named {
			return known
		}
	}
	mapping := &profile.Mapping{
		ID: uint64(len(r.Mapping) + 1), Limit: math.MaxUint64, File: valid(m.File), BuildID: valid(m.BuildID),
	}
	r.named[mapping] = named
	r.Mapping = append(r.Mapping, mapping)
	return mapping
}

func (r *slowRoad) function(f Function) *profile.Function {
	want := profile.Function{
		Name: valid(f.Name), SystemName: valid(f.SystemName), Filename: valid(f.File), StartLine: f.StartLine,
	}
	for _, known := range r.Function {
		want.ID = known.ID
		if *known == want {
			return known
		}
	}
	want.ID = uint64(len(r.Function) + 1)
	r.Function = append(r.Function, &want)
	return &want
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
