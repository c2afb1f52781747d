//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// ofHeap are the samples with that label.
func ofHeap(p *profile.Profile, heap string) []*profile.Sample {
	var found []*profile.Sample
	for _, s := range p.Sample {
		if s.HasLabel("heap", heap) {
			found = append(found, s)
		}
	}
	return found
}

// goThrough are the samples of Go's heap that a function is on. It may be on native ones too: for a large block Go begins a
// collection, which may start a thread, and libc allocates what belongs to that.
func goThrough(p *profile.Profile, function string) []*profile.Sample {
	return profiletest.Through(&profile.Profile{Sample: ofHeap(p, "go")}, function)
}

// onlyNow collects Go's garbage, and lets no other collection begin before the test ends.
func onlyNow(t *testing.T) {
	t.Helper()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	runtime.GC()
}

// collected returns what Go's heap holds after collections, by runtime/pprof.
func collected(t *testing.T) *profile.Profile {
	t.Helper()
	runtime.GC()
	var written bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&written, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&written)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// holdInMany appends a large block from each of n stacks, the deepest first.
func holdInMany(n int, blocks [][]byte) [][]byte {
	if n == 0 {
		return blocks
	}
	return append(holdInMany(n-1, blocks), hold(8<<20))
}

func TestBothHeapsInOneProfile(t *testing.T) {
	p := start(t, everything)
	defer victim.Free(profiletest.Leak(300))
	held := hold(64 << 20)
	onlyNow(t)
	theirs := collected(t)
	both := selected(t, p, cgoheap.Selection{GoHeap: true})

	t.Run("every sample is of one of them", func(t *testing.T) {
		golang, native := ofHeap(both, "go"), ofHeap(both, "native")
		if len(golang) == 0 || len(native) == 0 || len(golang)+len(native) != len(both.Sample) {
			t.Errorf("%d and %d of %d", len(golang), len(native), len(both.Sample))
		}
	})
	t.Run("native memory is what it is alone", func(t *testing.T) {
		if got := profiletest.Sum(profiletest.Through(both, "Leak")); got != [4]int64{1, 300, 1, 300} {
			t.Errorf("%v", got)
		}
	})
	t.Run("Go's heap has the numbers of runtime/pprof", func(t *testing.T) {
		if got, want := profiletest.Sum(ofHeap(both, "go")), profiletest.Sum(theirs.Sample); got != want {
			t.Errorf("%v, want %v", got, want)
		}
		got, want := profiletest.Sum(goThrough(both, "hold")), profiletest.Sum(profiletest.Through(theirs, "hold"))
		if got != want || got[3] < 64<<20 {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("frames of Go's heap are in the program's file", func(t *testing.T) {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range goThrough(both, "hold") {
			for _, l := range s.Location {
				if l.Mapping == nil || l.Mapping.File != program {
					t.Errorf("%#x in %v, want %s", l.Address, l.Mapping, program)
				}
			}
		}
	})
	t.Run("the comments say which is which", func(t *testing.T) {
		if !profiletest.HasComment(both, "Go's own heap", "last garbage collection") {
			t.Errorf("%q", both.Comments)
		}
	})
	t.Run("without being asked for there is no label", func(t *testing.T) {
		if one := take(t, p); len(ofHeap(one, "go"))+len(ofHeap(one, "native")) != 0 {
			t.Error("labels")
		}
	})
	runtime.KeepAlive(held)
}

func TestDeltaOfBothHeaps(t *testing.T) {
	p := start(t, everything)
	onlyNow(t)
	m, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	held := hold(64 << 20)
	defer victim.Free(profiletest.Leak(300))
	runtime.GC()

	growth := selected(t, p, cgoheap.Selection{View: cgoheap.ViewGrowth(m), GoHeap: true})
	if got := profiletest.Sum(profiletest.Through(growth, "Leak")); got[1] != 300 {
		t.Errorf("native memory grew by %v", got)
	}
	if got := profiletest.Sum(goThrough(growth, "hold")); got[1] < 64<<20 {
		t.Errorf("Go's heap grew by %v", got)
	}
	if alone := selected(t, p, cgoheap.Selection{View: cgoheap.ViewGrowth(m)}); profiletest.Sum(alone.Sample)[1] > 1<<20 || len(profiletest.Through(alone, "Leak")) != 1 {
		t.Errorf("without Go's heap: %v", profiletest.Sum(alone.Sample))
	}
	for range 2 {
		delta := selected(t, p, cgoheap.Selection{View: cgoheap.ViewDelta(m), GoHeap: true, Advance: true})
		if got := profiletest.Sum(goThrough(delta, "hold"))[1] > 0; got != (held != nil) {
			t.Errorf("Go allocated: %t", got)
		}
		runtime.KeepAlive(held)
		held = nil
	}

	t.Run("a baseline that was advanced without Go's heap cannot be compared with it", func(t *testing.T) {
		selected(t, p, cgoheap.Selection{View: cgoheap.ViewDelta(m), Advance: true})
		err := p.Write(&bytes.Buffer{}, cgoheap.Selection{View: cgoheap.ViewDelta(m), GoHeap: true})
		if err == nil || !strings.Contains(err.Error(), "advanced without Go's heap") {
			t.Error(err)
		}
	})
}

func TestCutKeepsTheTotalOfEachHeap(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 100)
	held := holdInMany(30, nil)
	onlyNow(t)
	var all, cut *profile.Profile
	quiet(t, p, func() {
		all = selected(t, p, cgoheap.Selection{GoHeap: true})
		cut = selected(t, p, cgoheap.Selection{GoHeap: true, MaxSamples: 20})
	})
	if len(cut.Sample) > 20 || len(others(cut)) != 2 {
		t.Errorf("%d samples, %d others", len(cut.Sample), len(others(cut)))
	}
	if err := p.Write(io.Discard, cgoheap.Selection{GoHeap: true, MaxSamples: 1}); !errors.Is(err, report.ErrBounds) {
		t.Errorf("two rests in one sample: %v", err)
	}
	for _, heap := range []string{"go", "native"} {
		if got, want := profiletest.Sum(ofHeap(cut, heap)), profiletest.Sum(ofHeap(all, heap)); got != want {
			t.Errorf("%s: %v, want %v", heap, got, want)
		}
	}
	runtime.KeepAlive(held)
}

func TestCollectionBeforeAProfileIsOnRequest(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only collections that the test asks for
	p := start(t, everything)
	runtime.GC() // before the first, profiles hold all there is
	held := hold(32 << 20)
	for i, parameters := range []string{"heap=all", "heap=all&gc=1"} {
		if got := profiletest.Sum(profiletest.Through(profiletest.Parse(t, profiletest.Ask(p.Handler(), parameters).Body), "hold"))[3]; (got >= 32<<20) != (i == 1) {
			t.Errorf("%s: the block's function holds %d bytes", parameters, got)
		}
	}
	runtime.KeepAlive(held)
}

//go:noinline
func holdBelow(depth int) []byte {
	if depth == 0 {
		return make([]byte, 8<<20)
	}
	return append(holdBelow(depth-1), 0)[:8<<20]
}

func TestStacksThatGoCutAreCounted(t *testing.T) {
	p := start(t, everything)
	held := holdBelow(500)
	runtime.GC()
	if both := selected(t, p, cgoheap.Selection{GoHeap: true}); !profiletest.HasComment(both, "go_stacks_cut") {
		t.Errorf("%q", both.Comments)
	}
	runtime.KeepAlive(held)
}
