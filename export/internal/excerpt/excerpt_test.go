package excerpt

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

var parts = map[string]Part{
	"all of it but labels":         {Duration: true},
	"in use, and no duration":      {Columns: []string{"inuse_objects", "inuse_space"}},
	"allocated, with the duration": {Columns: []string{"alloc_objects", "alloc_space"}, Duration: true},
	"a label that stays":           {Duration: true, Labels: []string{"heap"}},
	"labels of which one is text":  {Columns: []string{"inuse_space"}, Labels: []string{"bytes", "heap"}},
}

func TestExcerptsAreWhatAnObviousReaderMakesOfTheProfile(t *testing.T) {
	for about, part := range parts {
		t.Run(about, func(t *testing.T) {
			for seed := range uint64(8) {
				whole := random(t, seed)
				want := slow(t, whole, part)
				got := parse(t, write(t, read(t, whole), part))
				if diff := cmp.Diff(sums(want), sums(got)); diff != "" {
					t.Fatalf("seed %d: samples (-slow +excerpt):\n%s", seed, diff)
				}
				if diff := cmp.Diff(head(want), head(got)); diff != "" {
					t.Fatalf("seed %d: head (-slow +excerpt):\n%s", seed, diff)
				}
				if len(got.Sample) > len(sums(want)) {
					t.Fatalf("seed %d: %d samples for %d that differ", seed, len(got.Sample), len(sums(want)))
				}
			}
		})
	}
}

func TestExcerptsHaveNoFaultThatAReaderRefuses(t *testing.T) {
	for about, part := range parts {
		faults, err := check.Profile(bytes.NewReader(write(t, read(t, random(t, 1)), part)))
		if err != nil {
			t.Fatalf("%s: %v", about, err)
		}
		for _, f := range faults {
			if f.Severity == check.Error {
				t.Errorf("%s: %v", about, f)
			}
		}
	}
}

func TestExcerptOfAnExcerptIsTheSame(t *testing.T) {
	for about, part := range parts {
		once := write(t, read(t, random(t, 2)), part)
		if twice := write(t, read(t, once), part); !bytes.Equal(once, twice) {
			t.Errorf("%s: %d bytes, then %d", about, len(once), len(twice))
		}
	}
}

func TestExcerptWithoutASampleIsNothing(t *testing.T) {
	var w bytes.Buffer
	e := pprof.NewEncoder(&w, pprof.Header{})
	if err := e.Sample(nil, &stack.Sample{Values: stack.Values{InuseBytes: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if got := write(t, read(t, w.Bytes()), parts["allocated, with the duration"]); got != nil {
		t.Errorf("%d bytes", len(got))
	}
}

func TestFilesWithoutNamesAreFound(t *testing.T) {
	var w bytes.Buffer
	if err := new(standin.Profiler).Write(&w, cgoheap.Selection{}); err != nil {
		t.Fatal(err)
	}
	got, err := read(t, w.Bytes()).Unnamed()
	if err != nil {
		t.Fatal(err)
	}
	want := []Module{{standin.Unnamed.File, standin.Unnamed.BuildID}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedProfileIsAnError(t *testing.T) {
	whole := random(t, 3)
	if _, err := Read(whole[:len(whole)/2]); err == nil {
		t.Error("half a gzip stream was read")
	}
	if _, err := Read([]byte("hello")); err == nil {
		t.Error("text was read")
	}
	damaged, err := compress([]byte{0x12, 0x05, 1}) // a sample of five bytes, of which there is one
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(damaged); err == nil {
		t.Error("a field that ends behind the profile was read")
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte{0x12, 0x02, 0x10, 0x01})
	f.Fuzz(func(t *testing.T, raw []byte) {
		gzipped, err := compress(raw)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Read(gzipped)
		if (p == nil) != (err != nil) {
			t.Fatalf("a profile and the error %v", err)
		}
		if err != nil {
			return
		}
		for _, part := range append(slices.Collect(maps.Values(parts)), Part{MaxSamples: 1}, Part{MaxBytes: 150}) {
			if data, err := p.Write(part); err != nil && data != nil {
				t.Fatalf("%d bytes and the error %v", len(data), err)
			}
		}
		if modules, err := p.Unnamed(); err != nil && modules != nil {
			t.Fatalf("modules and the error %v", err)
		}
	})
}

// random is a profile in which stacks, labels and zeros repeat.
func random(t *testing.T, seed uint64) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var w bytes.Buffer
	main := pprof.Mapping{File: "/bin/shop", BuildID: "0011"}
	e := pprof.NewEncoder(&w, pprof.Header{Main: main, SampleBytes: 512, Time: time.Unix(1_700_000_000, 6), Duration: 7})
	var locations []pprof.LocationID
	for i := range 5 {
		line := pprof.Line{Function: pprof.Function{Name: string(rune('a' + i))}}
		locations = append(locations, e.Location(pprof.Location{Mapping: main, Address: uint64(i), Lines: []pprof.Line{line}}))
	}
	for range 100 {
		s := stack.Sample{BlockSize: r.Int64N(3) - 1}
		s.Values = stack.Values{AllocObjects: r.Int64N(2), AllocBytes: r.Int64N(2) * r.Int64N(1e9), InuseObjects: r.Int64N(2), InuseBytes: r.Int64N(2) * -r.Int64N(1e9)}
		if r.IntN(2) == 0 {
			s.Labels = []stack.Label{{Key: "heap", Text: []string{"go", "native"}[r.IntN(2)]}}
		}
		if err := e.Sample(locations[r.IntN(3):3+r.IntN(3)], &s); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func read(t *testing.T, gzipped []byte) *Profile {
	t.Helper()
	p, err := Read(gzipped)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, p *Profile, part Part) []byte {
	t.Helper()
	data, err := p.Write(part)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t *testing.T, gzipped []byte) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(gzipped)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
