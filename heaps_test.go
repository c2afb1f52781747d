//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/report"
)

// ofHeap are the samples with that label.
func ofHeap(p *profile.Profile, heap string) []*profile.Sample {
	var found []*profile.Sample
	for _, s := range p.Sample {
		if s.HasLabel(heapLabel, heap) {
			found = append(found, s)
		}
	}
	return found
}

// collected is what Go's heap holds once nothing is garbage, by runtime/pprof.
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

//go:noinline
func hold(n int) []byte { return make([]byte, n) }

// holdInMany appends a large block from each of n stacks, the deepest first.
func holdInMany(n int, blocks [][]byte) [][]byte {
	if n == 0 {
		return blocks
	}
	return append(holdInMany(n-1, blocks), hold(8<<20))
}

func TestBothHeapsInOneProfile(t *testing.T) {
	p := start(t, everything)
	defer victim.Free(leak(300))
	held := hold(64 << 20)
	theirs := collected(t)
	both := selected(t, p, Selection{GoHeap: true})

	t.Run("every sample is of one of them", func(t *testing.T) {
		golang, native := ofHeap(both, "go"), ofHeap(both, "native")
		if len(golang) == 0 || len(native) == 0 || len(golang)+len(native) != len(both.Sample) {
			t.Errorf("%d and %d of %d", len(golang), len(native), len(both.Sample))
		}
	})
	t.Run("native memory is what it is alone", func(t *testing.T) {
		if got := values(through(both, "leak")); got != [4]int64{1, 300, 1, 300} {
			t.Errorf("%v", got)
		}
	})
	t.Run("Go's heap has the numbers of runtime/pprof", func(t *testing.T) {
		if got, want := values(ofHeap(both, "go")), values(theirs.Sample); got != want {
			t.Errorf("%v, want %v", got, want)
		}
		got, want := values(through(both, "hold")), values(through(theirs, "hold"))
		if got != want || got[3] < 64<<20 {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("the comments say which is which", func(t *testing.T) {
		if !hasComment(both, "Go's own heap", "last garbage collection") {
			t.Errorf("%q", both.Comments)
		}
	})
	t.Run("without being asked for there is no label", func(t *testing.T) {
		if one := take(t, p); len(ofHeap(one, "go"))+len(ofHeap(one, "native")) != 0 {
			t.Error("labels")
		}
	})
	t.Run("go tool pprof tells them apart", func(t *testing.T) {
		path := written(t, p, Selection{GoHeap: true})
		golang := tool(t, "-top", "-cum", "-nodecount=500", "-tagfocus=heap=go", path)
		native := tool(t, "-top", "-cum", "-nodecount=500", "-nodefraction=0", "-tagfocus=heap=native", path)
		if row(golang, "hold") == nil || row(golang, "leak") != nil || row(native, "leak") == nil || row(native, "hold") != nil {
			t.Errorf("%s\n%s", golang, native)
		}
	})
	runtime.KeepAlive(held)
}

func TestLabelsOfGoroutinesBesideBothHeaps(t *testing.T) {
	o := everything
	o.GoroutineLabels = true
	p := start(t, o)
	var leaked unsafe.Pointer
	pprof.Do(context.Background(), pprof.Labels("heap", "mine", "tenant", "zeta"), func(context.Context) { leaked = leak(300) })
	defer victim.Free(leaked)
	path := written(t, p, Selection{GoHeap: true})
	for _, focus := range []string{"heap=native", "tenant=zeta"} {
		if top := tool(t, "-top", "-cum", "-nodecount=500", "-nodefraction=0", "-tagfocus="+focus, path); row(top, "leak") == nil {
			t.Errorf("-tagfocus=%s has no leak:\n%s", focus, top)
		}
	}
	if top := tool(t, "-top", "-cum", "-nodecount=500", "-nodefraction=0", "-tagfocus=heap=mine", path); row(top, "leak") != nil {
		t.Errorf("the program's own label of that key stands:\n%s", top)
	}
}

func TestDeltaOfBothHeaps(t *testing.T) {
	p := start(t, everything)
	runtime.GC()
	m, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	held := hold(64 << 20)
	defer victim.Free(leak(300))
	runtime.GC()

	growth := selected(t, p, Selection{View: Growth, Since: m, GoHeap: true})
	if got := values(through(growth, "leak")); got[1] != 300 {
		t.Errorf("native memory grew by %v", got)
	}
	if got := values(through(growth, "hold")); got[1] < 64<<20 {
		t.Errorf("Go's heap grew by %v", got)
	}
	if alone := selected(t, p, Selection{View: Growth, Since: m}); values(alone.Sample)[1] > 1<<20 || len(through(alone, "leak")) != 1 {
		t.Errorf("without Go's heap: %v", values(alone.Sample))
	}
	for range 2 {
		delta := selected(t, p, Selection{Since: m, GoHeap: true, Advance: true})
		if got := values(through(delta, "hold"))[1] > 0; got != (held != nil) {
			t.Errorf("Go allocated: %t", got)
		}
		runtime.KeepAlive(held)
		held = nil
	}

	t.Run("a moment that was advanced without Go's heap cannot be compared with it", func(t *testing.T) {
		selected(t, p, Selection{Since: m, Advance: true})
		err := p.Write(&bytes.Buffer{}, Selection{Since: m, GoHeap: true})
		if err == nil || !strings.Contains(err.Error(), "advanced without Go's heap") {
			t.Error(err)
		}
	})
}

func TestCutKeepsTheTotalOfEachHeap(t *testing.T) {
	p := start(t, everything)
	manySizes(t, 100)
	held := holdInMany(30, nil)
	runtime.GC()
	var all, cut *profile.Profile
	quiet(t, p, func() {
		all = selected(t, p, Selection{GoHeap: true})
		cut = selected(t, p, Selection{GoHeap: true, MaxSamples: 20})
	})
	if len(cut.Sample) > 20 || len(others(cut)) != 2 {
		t.Errorf("%d samples, %d others", len(cut.Sample), len(others(cut)))
	}
	if err := p.Write(io.Discard, Selection{GoHeap: true, MaxSamples: 1}); !errors.Is(err, report.ErrBounds) {
		t.Errorf("two rests in one sample: %v", err)
	}
	for _, heap := range []string{"go", "native"} {
		if got, want := values(ofHeap(cut, heap)), values(ofHeap(all, heap)); got != want {
			t.Errorf("%s: %v, want %v", heap, got, want)
		}
	}
	runtime.KeepAlive(held)
}

func TestCollectionBeforeAProfileIsOnRequest(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // none but those that are asked for
	p := start(t, everything)
	runtime.GC() // before the first, profiles hold all there is
	held := hold(32 << 20)
	for i, parameters := range []string{"heap=all", "heap=all&gc=1"} {
		if got := values(through(parse(t, ask(p, parameters).Body), "hold"))[3]; (got >= 32<<20) != (i == 1) {
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
	if both := selected(t, p, Selection{GoHeap: true}); !hasComment(both, "go_stacks_cut") {
		t.Errorf("%q", both.Comments)
	}
	runtime.KeepAlive(held)
}
