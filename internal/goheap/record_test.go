package goheap

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// functions names the frames, inlined calls included.
func functions(frames []stack.Frame) (names []string) {
	for _, f := range frames {
		for _, line := range symbolize.GoLines(mappings.RuntimeAddr(f.Address())) {
			names = append(names, line.Function)
		}
	}
	return names
}

// samplesOf are the samples whose innermost function has the name.
func samplesOf(p *stack.Profile, function string) (found []stack.Sample) {
	for _, s := range p.Samples {
		if names := functions(s.Frames); len(names) > 0 && strings.HasSuffix(names[0], "goheap."+function) {
			found = append(found, s)
		}
	}
	return found
}

func TestInlinedCallsShareAFrame(t *testing.T) {
	allocate(t)
	p := Read(inModule(1))
	found := samplesOf(&p, "inlinedOnce")
	if len(found) == 0 {
		t.Fatal("no sample")
	}
	for _, s := range found {
		names := functions(s.Frames[:1])
		want := []string{"inlinedOnce", "inlinedTwice", "inlined"}
		if !slices.EqualFunc(names, want, func(name, end string) bool { return strings.HasSuffix(name, "goheap."+end) }) {
			t.Errorf("one frame for %q, want %q", names, want)
		}
		if names := functions(s.Frames); names[len(names)-1] == "runtime.goexit" {
			t.Errorf("%q", names)
		}
	}
}

func TestCallsThatAreNotInlinedThereAreKept(t *testing.T) {
	allocate(t)
	expander, found := newExpander(inModule(1)), false
	for _, r := range readPublic() {
		for i, pc := range r.stack {
			if n := len(expander.at(pc).outer); n > 0 && i+n+1 < len(r.stack) && !expander.at(r.stack[i+n+1]).goexit {
				without := []uintptr{pc, r.stack[i+n+1]} // as a walk without inlined calls would return it
				if got := expander.appendFrames(nil, without); len(got) != 2 && !expander.at(pc).hidden {
					t.Fatalf("%q", functions(got))
				}
				found = true
			}
		}
	}
	if !found {
		t.Error("nothing is inlined")
	}
}

// inModule says that all Go code lies in one module.
func inModule(id stack.ModuleID) func(uintptr) stack.ModuleID {
	return func(uintptr) stack.ModuleID { return id }
}

func TestFramesHaveTheModuleOfGoCode(t *testing.T) {
	allocate(t)
	for _, s := range Read(inModule(7)).Samples {
		for _, f := range s.Frames {
			if f.Module() != 7 {
				t.Fatalf("%x in %q", f, functions(s.Frames))
			}
		}
	}
}

func TestAddressOutsideGoCodeHasNoModule(t *testing.T) {
	got := newExpander(inModule(7)).appendFrames(nil, []uintptr{0x1001, 0x2001})
	if diff := cmp.Diff([]stack.Frame{stack.NewFrame(0, 0x1000), stack.NewFrame(0, 0x2000)}, got); diff != "" {
		t.Error(diff)
	}
}

func TestStackOfTheRuntimeAloneIsShown(t *testing.T) {
	allocate(t)
	p := Read(inModule(1))
	alone := 0
	for _, s := range p.Samples {
		if len(s.Frames) == 0 {
			t.Fatalf("no frames: %v", s)
		}
		names := functions(s.Frames)
		if !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "runtime.") }) {
			alone++
		}
	}
	t.Logf("%d of %d samples are the runtime's own", alone, len(p.Samples))
	if got := newExpander(inModule(1)).appendFrames(nil, runtimeStack()); len(got) == 0 {
		t.Error("nothing is left of a stack of runtime functions")
	}
}

// runtimeStack is a stack of runtime functions only: what is left of this one without the test's own functions.
func runtimeStack() []uintptr {
	pcs := make([]uintptr, 16)
	pcs = pcs[:runtime.Callers(0, pcs)]
	return slices.DeleteFunc(pcs, func(pc uintptr) bool { return !hidesAtLeaf(pc) })
}

func TestTwoReadsOfOneStateAreEqual(t *testing.T) {
	allocate(t)
	first, second := Read(inModule(1)), Read(inModule(1))
	second.Time = first.Time
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
}

// TestScaledSamplesEstimateTheTruth samples blocks at random, as the allocator does, and adds up estimates.
func TestScaledSamplesEstimateTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rate, blocks, rounds = 4096, 2000, 200
	for _, size := range []int64{8, 1000, 4096, 50_000} {
		seen := 1 - math.Exp(-float64(size)/rate)
		var objects, bytes int64
		for range rounds {
			var sampled int64
			for range blocks {
				if rng.Float64() < seen {
					sampled++
				}
			}
			o, b := scale(sampled, sampled*size, rate)
			objects, bytes = objects+o, bytes+b
		}
		// The estimate of n blocks has a variance of n(1−p)/p; and each one is cut to a whole number.
		sigma := math.Sqrt(rounds * blocks * (1 - seen) / seen)
		if off := math.Abs(float64(objects) - rounds*blocks); off > 4*sigma+rounds {
			t.Errorf("size %d: %d objects, want %d ± %.0f", size, objects, rounds*blocks, sigma)
		}
		if off := math.Abs(float64(bytes)/float64(size) - rounds*blocks); off > 4*sigma+rounds {
			t.Errorf("size %d: %d bytes, want %d ± %.0f blocks", size, bytes, rounds*blocks*size, sigma)
		}
	}
}
