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

// recording is what a profile is made of. The encoder is the one road from it to a profile; slowRoad is the other.
type recording struct {
	header  Header
	samples []recordedSample
}

type recordedSample struct {
	locations []Location
	values    stack.Values
	blockSize int64
	comment   string // given after the sample
}

func (r *recording) write(w io.Writer) error {
	e := NewEncoder(w, r.header)
	var frames []LocationID
	for i := range r.samples {
		s := &r.samples[i]
		frames = frames[:0]
		for _, l := range s.locations {
			frames = append(frames, e.Location(l))
		}
		if err := e.Sample(frames, s.values, s.blockSize); err != nil {
			return err
		}
		if s.comment != "" {
			e.Comment(s.comment)
		}
	}
	return e.Close()
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
		SampleType: []*profile.ValueType{
			{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"},
		},
		DefaultSampleType: "inuse_space",
		PeriodType:        &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:            r.header.SampleBytes,
		DurationNanos:     int64(r.header.Duration),
	}
	if r.header.Time != (time.Time{}) {
		p.TimeNanos = r.header.Time.UnixNano()
	}
	for _, c := range r.header.Comments {
		p.Comments = append(p.Comments, valid(c))
	}
	road := slowRoad{p, map[*profile.Mapping]bool{}}
	road.mapping(r.header.Main, true)
	for i := range r.samples {
		road.sample(&r.samples[i])
	}
	return p
}

type slowRoad struct {
	*profile.Profile
	named map[*profile.Mapping]bool
}

func (r *slowRoad) sample(s *recordedSample) {
	v := s.values
	sample := &profile.Sample{Value: []int64{v.AllocObjects, v.AllocBytes, v.InuseObjects, v.InuseBytes}}
	for _, l := range s.locations {
		sample.Location = append(sample.Location, r.location(l))
	}
	if s.blockSize >= 0 {
		sample.NumLabel = map[string][]int64{"bytes": {s.blockSize}}
		sample.NumUnit = map[string][]string{"bytes": {"bytes"}}
	}
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
		if known.Mapping == m && known.Address == l.Address {
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
