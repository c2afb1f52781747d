package excerpt

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/internal/check"
)

// filled is a profile of many samples with names of their own.
func filled(t *testing.T, samples int) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := (&standin.Profiler{Filler: samples}).Write(&w, cgoheap.Selection{}); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func inUse(samples int, bytes int64) Part {
	return Part{Columns: []string{"inuse_objects", "inuse_space"}, MaxSamples: samples, MaxBytes: bytes}
}

func totals(p *profile.Profile) (sums [2]int64) {
	for _, s := range p.Sample {
		sums[0] += s.Value[0]
		sums[1] += s.Value[1]
	}
	return sums
}

func TestBoundedExcerptKeepsTheLargestSamplesAndTheTotals(t *testing.T) {
	for seed := range uint64(8) {
		whole := random(t, seed)
		want := slow(t, whole, inUse(0, 0))
		got := parse(t, write(t, read(t, whole), inUse(4, 0)))
		if len(got.Sample) != 4 || totals(got) != totals(want) {
			t.Fatalf("seed %d: %d samples with %v, want %v", seed, len(got.Sample), totals(got), totals(want))
		}
		all := slices.SortedFunc(maps.Values(sums(want)), func(a, b []int64) int { return cmp.Compare(a[1], b[1]) }) // negative
		for i, s := range slices.SortedFunc(slices.Values(got.Sample[:3]), func(a, b *profile.Sample) int {
			return cmp.Compare(a.Value[1], b.Value[1])
		}) {
			if s.Value[1] != all[i][1] {
				t.Errorf("seed %d: sample %d has %d bytes, want %d", seed, i, s.Value[1], all[i][1])
			}
		}
	}
}

func TestTheRestIsCalledAsTheProfilerCallsIt(t *testing.T) {
	got := parse(t, write(t, read(t, filled(t, 100)), inUse(50, 0)))
	last := got.Sample[len(got.Sample)-1]
	f := last.Location[0].Line[0].Function
	if f.Name != "other" || f.SystemName != "other" || last.Location[0].Mapping != got.Mapping[0] || last.Value[0] < 50 {
		t.Errorf("%v of %v", last, f)
	}
	const comment = "cgoheap: other: 53 samples beyond the bound of the profile, added up"
	if !slices.Contains(got.Comments, comment) || !slices.Contains(got.Comments, "a comment") {
		t.Errorf("comments %q", got.Comments)
	}
}

func TestBoundedExcerptIsNotLongerThanItMayBe(t *testing.T) {
	data := filled(t, 1000)
	want := totals(parse(t, write(t, read(t, data), inUse(0, 0))))
	before := 0
	for _, most := range []int64{3_000, 5_000, 20_000, 100_000} {
		excerpt := write(t, read(t, data), inUse(0, most))
		raw, err := uncompress(excerpt)
		if err != nil {
			t.Fatal(err)
		}
		got := parse(t, excerpt)
		n := len(got.Sample)
		if int64(len(raw)) > most || int64(len(raw)) < most*9/10 && n < 1000 || totals(got) != want || n < before {
			t.Errorf("%d bytes of at most %d: %d samples with %v, want %v", len(raw), most, n, totals(got), want)
		}
		before = n
	}
}

func TestBoundedExcerptHasNoNameThatItDoesNotNeed(t *testing.T) {
	data := filled(t, 1000)
	got := parse(t, write(t, read(t, data), inUse(11, 0)))
	if len(got.Location) != 11 || len(got.Function) != 10 { // the two largest stacks share a location, and the other has no name
		t.Errorf("%d locations, %d functions", len(got.Location), len(got.Function))
	}
	few := Part{Columns: []string{"alloc_space"}, MaxBytes: 3000} // one sample, among the names of all
	got = parse(t, write(t, read(t, data), few))
	if len(got.Sample) != 1 || got.Sample[0].Value[0] != 96 || got.Sample[0].Location[0].Line[0].Function.Name == "other" {
		t.Errorf("%v", got)
	}
}

func TestBoundedExcerptHasNoFaultThatAReaderRefuses(t *testing.T) {
	for _, part := range []Part{inUse(1, 0), inUse(2, 0), inUse(30, 0), inUse(0, 5000), {MaxSamples: 5, Labels: []string{"heap"}, Duration: true}} {
		faults, err := check.Profile(bytes.NewReader(write(t, read(t, filled(t, 100)), part)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range faults {
			if f.Severity == check.Error {
				t.Errorf("%+v: %v", part, f)
			}
		}
	}
}

func TestBoundsThatNoProfileKeepsAreAnError(t *testing.T) {
	data, err := read(t, filled(t, 100)).Write(inUse(0, 100))
	if data != nil || !errors.Is(err, errBounds) || !strings.HasPrefix(err.Error(), "excerpt of a profile: ") {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
