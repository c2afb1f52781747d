package pprof

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

var (
	service = Mapping{File: "/usr/bin/service", BuildID: "0123abcd"}
	libc    = Mapping{File: "/lib/x86_64-linux-gnu/libc.so.6", BuildID: "c0ffee"}
	sqlite  = Mapping{File: "/usr/lib/libsqlite3.so.0", BuildID: "51e"}
)

// leak is a recording with all that a real one has: inlined calls, mangled names, a file without names, an address
// without a file, one stack with two block sizes.
func leak() *recording {
	push := Function{Name: "vector<int>::push_back", SystemName: "_ZN6vectorIiE9push_backEi", File: "vector.h", StartLine: 88}
	insertInt := Function{Name: "Cache::insert(int)", SystemName: "_ZN5Cache6insertEi", File: "cache.cc", StartLine: 20}
	insert := Location{Mapping: service, Address: 0x4a1230, Lines: []Line{
		{Function: push, Line: 91, Column: 7}, {Function: insertInt, Line: 24, Column: 3},
	}}
	handler := Location{Mapping: service, Address: 0x8f0010, Lines: []Line{
		{Function: Function{Name: "main.handleCache", SystemName: "main.handleCache", File: "main.go", StartLine: 40}, Line: 44},
	}}
	strdup := Location{Mapping: libc, Address: 0x9a5c1, Lines: []Line{
		{Function: Function{Name: "strdup", SystemName: "strdup"}},
	}}
	unnamed := Location{Mapping: sqlite, Address: 0x9a5c1}
	nowhere := Location{Address: 0x7f0000001000}
	return &recording{
		header: Header{
			Main: service, SampleBytes: 512 << 10, Time: time.Unix(1_700_000_000, 5),
			Comments: []string{"3 stacks were cut short: the table was full"},
		},
		samples: []recordedSample{
			{locations: []Location{insert, handler}, values: stack.Values{AllocObjects: 10, AllocBytes: 1000, InuseObjects: 1, InuseBytes: 100}, blockSize: 100},
			{locations: []Location{insert, handler}, values: stack.Values{AllocObjects: 4, AllocBytes: 800, InuseObjects: 4, InuseBytes: 800}, blockSize: 200},
			{locations: []Location{strdup, unnamed, handler}, values: stack.Values{AllocObjects: 7, AllocBytes: 77}, blockSize: stack.MixedSizes},
			{locations: []Location{nowhere}, values: stack.Values{AllocObjects: 1, InuseObjects: 1}, blockSize: 0, comment: "the end"},
		},
	}
}

func TestHeaderSaysWhatTheValuesAre(t *testing.T) {
	p := leak().read(t)
	var types []string
	for _, v := range p.SampleType {
		types = append(types, v.Type+"/"+v.Unit)
	}
	want := []string{"alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"}
	for i := range want {
		if types[i] != want[i] {
			t.Errorf("sample type %d is %s, want %s", i, types[i], want[i])
		}
	}
	if p.DefaultSampleType != "inuse_space" || p.PeriodType.Type != "space" || p.PeriodType.Unit != "bytes" {
		t.Errorf("default %q, period in %s/%s", p.DefaultSampleType, p.PeriodType.Type, p.PeriodType.Unit)
	}
	if p.Period != 512<<10 || p.TimeNanos != 1_700_000_000e9+5 || p.DurationNanos != 0 {
		t.Errorf("period %d, time %d, duration %d", p.Period, p.TimeNanos, p.DurationNanos)
	}
	if len(p.Comments) != 2 || p.Comments[1] != "the end" {
		t.Errorf("comments: %q", p.Comments)
	}
}

func TestMainBinaryIsTheFirstMappingEvenIfNothingLiesInIt(t *testing.T) {
	r := recording{header: Header{Main: service}, samples: []recordedSample{{locations: []Location{{Mapping: libc, Address: 1}}}}}
	p := r.read(t)
	if p.Mapping[0].File != service.File || p.Mapping[0].BuildID != service.BuildID {
		t.Errorf("the first mapping is %v", p.Mapping[0])
	}
	if p.Mapping[0].HasFunctions {
		t.Error("a mapping without locations says that they have names")
	}
}

func TestMappingsCoverAllAddresses(t *testing.T) {
	for _, m := range leak().read(t).Mapping {
		if m.Start != 0 || m.Limit != math.MaxUint64 || m.Offset != 0 || m.BuildID == "" {
			t.Errorf("mapping %v", m)
		}
	}
}

func TestMappingFlagsSayWhatTheLinesContain(t *testing.T) {
	f, inFile := Function{Name: "f"}, Function{Name: "f", File: "f.c"}
	for _, c := range []struct {
		about                 string
		lines                 []Line
		file, number, inlines bool
	}{
		{"a name alone", []Line{{Function: f}}, false, false, false},
		{"a file", []Line{{Function: inFile}}, true, false, false},
		{"a line number", []Line{{Function: inFile, Line: 3}}, true, true, false},
		{"an inlined call", []Line{{Function: f}, {Function: inFile, Line: 3}}, true, true, true},
	} {
		r := recording{samples: []recordedSample{{locations: []Location{{Mapping: libc, Lines: c.lines}}}}}
		m := r.read(t).Mapping[0]
		if !m.HasFunctions || m.HasFilenames != c.file || m.HasLineNumbers != c.number || m.HasInlineFrames != c.inlines {
			t.Errorf("%s: mapping %v", c.about, m)
		}
	}
}

func TestLocationsAndFunctionsAreWrittenOnce(t *testing.T) {
	p := leak().read(t)
	if len(p.Location) != 5 || len(p.Function) != 4 {
		t.Errorf("%d locations and %d functions, want 5 and 4", len(p.Location), len(p.Function))
	}
	if p.Sample[0].Location[0] != p.Sample[1].Location[0] {
		t.Error("two samples with equal stacks have different locations")
	}
}

func TestOneAddressWithMoreAndWithFewerLinesIsTwoLocations(t *testing.T) {
	more := Location{Mapping: libc, Address: 1, Lines: []Line{{Function: Function{Name: "f"}}, {Function: Function{Name: "g"}}}}
	fewer := more
	fewer.Lines = more.Lines[1:]
	r := recording{samples: []recordedSample{{locations: []Location{fewer, more, fewer}}}}
	p := r.read(t)
	if len(p.Location) != 2 {
		t.Fatalf("%d locations, want 2", len(p.Location))
	}
	for i, want := range []int{1, 2, 1} {
		if got := len(p.Sample[0].Location[i].Line); got != want {
			t.Errorf("%d lines, want %d", got, want)
		}
	}
}

func TestBlockSizeIsALabelUnlessSizesAreMixed(t *testing.T) {
	p := leak().read(t)
	for i, want := range [][]int64{{100}, {200}, nil, {0}} {
		got, unit := p.Sample[i].NumLabel["bytes"], p.Sample[i].NumUnit["bytes"]
		if len(got) != len(want) || len(want) == 1 && (got[0] != want[0] || unit[0] != "bytes") {
			t.Errorf("sample %d has bytes %v in %v, want %v", i, got, unit, want)
		}
		if len(p.Sample[i].Label) != 0 {
			t.Errorf("sample %d has string labels %v", i, p.Sample[i].Label)
		}
	}
}

func TestInvalidTextBecomesValid(t *testing.T) {
	bad := "a\xff\xfeb"
	r := recording{
		header: Header{Main: Mapping{File: bad, BuildID: bad}, Comments: []string{bad}},
		samples: []recordedSample{{locations: []Location{
			{Lines: []Line{{Function: Function{Name: bad, SystemName: bad, File: bad}}, {Function: Function{Name: "a\xffb"}}}},
		}}},
	}
	p := r.read(t)
	f, want := p.Function[0], "a\uFFFDb"
	for _, got := range []string{f.Name, f.SystemName, f.Filename, p.Mapping[0].File, p.Mapping[0].BuildID, p.Comments[0], p.Function[1].Name} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLocationOfAnotherProfileIsRefusedAndTheRestWritten(t *testing.T) {
	var b bytes.Buffer
	e := NewEncoder(&b, Header{})
	id := e.Location(Location{Address: 1})
	for _, bad := range []LocationID{0, id + 1} {
		if err := e.Sample([]LocationID{id, bad}, &stack.Sample{}); !errors.Is(err, errUnknownLocation) {
			t.Errorf("location %d: error %v", bad, err)
		}
	}
	if err := e.Sample([]LocationID{id}, &stack.Sample{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if p := parse(t, b.Bytes()); len(p.Sample) != 1 {
		t.Errorf("%d samples, want 1", len(p.Sample))
	}
}

func TestNothingIsWrittenAfterClose(t *testing.T) {
	var b bytes.Buffer
	e := NewEncoder(&b, Header{})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	size := b.Len()
	e.Comment("late")
	if id := e.Location(Location{Address: 1}); id != 0 {
		t.Errorf("a closed profile has a location %d", id)
	}
	if err := e.Sample(nil, &stack.Sample{}); !errors.Is(err, errClosed) {
		t.Errorf("Sample after Close: %v", err)
	}
	if err := e.Close(); err != nil || b.Len() != size {
		t.Errorf("a second Close wrote %d bytes and returned %v", b.Len()-size, err)
	}
}
