package pprof

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/stack"
)

// Faults that other writers of profiles have or had, in this order, and what must hold instead: a location known by its
// address without its mapping; a label repeated for each frame; a function known by its name only; has_functions on a
// mapping of which some location has no name; IDs that are addresses; errors of the writer dropped; mappings of data, in
// which no code lies.

func TestTwoLibrariesThatShareAnAddressStayApart(t *testing.T) {
	p := leak().read(t)
	files := map[string]bool{}
	for _, l := range p.Location {
		if l.Address == 0x9a5c1 {
			files[l.Mapping.File] = true
		}
	}
	if len(files) != 2 {
		t.Errorf("address 0x9a5c1 lies in %v, want both files", files)
	}
}

func TestLabelStandsOnceHoweverManyFramesTheStackHas(t *testing.T) {
	s := labelled(t, 64, stack.Label{Key: "bytes", Number: 7, Unit: "bytes"}, stack.Label{Key: "bytes", Text: "many"},
		stack.Label{Key: "k\xff", Text: "first"}, stack.Label{Key: "k\xfe", Text: "second"})
	if diff := cmp.Diff(map[string][]int64{"bytes": {64}}, s.NumLabel); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"k\uFFFD": {"first"}}, s.Label); diff != "" {
		t.Error(diff)
	}
}

func TestFunctionsThatShareOnlyANameStayApart(t *testing.T) {
	line := func(f Function) Line { return Line{Function: f} }
	r := recording{samples: []recordedSample{{locations: []Location{{Lines: []Line{
		line(Function{Name: "f"}), line(Function{Name: "f", SystemName: "_f"}), line(Function{Name: "f", File: "f.c"}),
		line(Function{Name: "f", StartLine: 1}), line(Function{Name: "f"}),
	}}}}}}
	if p := r.read(t); len(p.Function) != 4 {
		t.Errorf("%d functions, want 4", len(p.Function))
	}
}

func TestUnnamedLocationsLieUnderASecondEntryWithoutFlags(t *testing.T) {
	named := Location{Mapping: libc, Address: 1, Lines: []Line{{Function: Function{Name: "f"}}}}
	r := recording{samples: []recordedSample{{locations: []Location{
		{Mapping: libc, Address: 2}, named, {Mapping: libc, Address: 3}, {Mapping: libc, Address: 4, Lines: []Line{{Line: 7}}},
	}}}}
	p := r.read(t)
	if len(p.Mapping) != 2 || p.Mapping[0].File != p.Mapping[1].File || p.Mapping[0].BuildID != p.Mapping[1].BuildID {
		t.Fatalf("mappings: %v", p.Mapping)
	}
	for _, l := range p.Location {
		isNamed := l.Address == 1
		if l.Mapping.HasFunctions != isNamed || l.Mapping.HasFilenames || l.Mapping.HasLineNumbers || l.Mapping.HasInlineFrames {
			t.Errorf("location at %#x lies under %v", l.Address, l.Mapping)
		}
	}
}

func TestIDsAreIndexPlusOne(t *testing.T) {
	count := map[int]uint64{}
	for _, f := range messages(t, leak()) {
		switch f.number {
		case profileMapping, profileLocation, profileFunction:
			count[f.number]++
			id := fields(t, f.bytes)[0]
			if id.number != 1 || id.value != count[f.number] {
				t.Errorf("field %d: message %d has ID %d", f.number, count[f.number], id.value)
			}
		}
	}
	if count[profileMapping] != 3 || count[profileLocation] != 5 || count[profileFunction] != 4 {
		t.Errorf("messages by field: %v", count)
	}
}

func TestAfterAnErrorEveryCallReturnsIt(t *testing.T) {
	d := &fullDisk{}
	e := NewEncoder(d, Header{})
	for size := 0; e.err == nil; size += flushBytes {
		if size > 1<<24 {
			t.Fatal("the error is not noticed")
		}
		e.Comment(fmt.Sprintf("%*d", flushBytes, size))
	}
	if id := e.Location(Location{Address: 1}); id != 0 {
		t.Errorf("location %d", id)
	}
	e.Comment("more")
	if err := e.Sample(nil, &stack.Sample{}); !errors.Is(err, errDisk) {
		t.Errorf("Sample: %v", err)
	}
	for range 2 {
		if err := e.Close(); !errors.Is(err, errDisk) {
			t.Errorf("Close: %v", err)
		}
	}
	if d.calls > 1 {
		t.Errorf("the writer was called %d times from its error on", d.calls)
	}
}

func TestNoReaderRefusesWhateverColumnsAreWritten(t *testing.T) {
	for _, columns := range []Columns{AllColumns, InuseColumns, AllocatedColumns} {
		r := leak()
		r.header.Columns = columns
		r.samples[0].labels = []stack.Label{{Key: "age", Number: 60, Unit: "seconds"}, {Key: "tenant", Text: "bl\xffe"}}
		var b bytes.Buffer
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		faults, err := check.Profile(&b)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			if fault.Severity == check.Error {
				t.Error(fault)
			}
		}
	}
}

func TestEveryMappingButTheMainBinaryIsReferredTo(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		p := choices(random.IntN).recording().read(t)
		used := map[*profile.Mapping]bool{}
		for _, l := range p.Location {
			used[l.Mapping] = true
		}
		for i, m := range p.Mapping {
			if i > 0 && !used[m] {
				t.Errorf("no location lies in mapping %d, %s", m.ID, m.File)
			}
		}
	}
}
