//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// placeLeft is the page of the code of a library that was known to the recording, and is closed again.
func placeLeft(t *testing.T, r *Recording, path string) uint64 {
	t.Helper()
	p := open(t, path)
	r.look()
	block := late(p)
	place := snapshot(t, r).one(t, "late", 1002).Frames[0].Address() &^ 4095
	victim.Free(block)
	p.Close()
	return place
}

func TestCodeMadeAtRunTime(t *testing.T) {
	t.Run("a stack ends in it, with its address, and is counted", func(t *testing.T) {
		r := start(t, everything)
		jit, ok := victim.NewJIT(0, false)
		if !ok {
			t.Skip("no memory may be made executable")
		}
		defer jit.Drop()
		before := value(t, r, "stacks_cut_no_file")
		defer victim.Free(jit.Malloc(93000))
		cut := value(t, r, "stacks_cut_no_file") - before
		s := snapshot(t, r)
		frames, _ := s.stackOf(t, 93000)
		if len(frames) != 1 || !jit.Holds(frames[0].Address()) || !s.Module(frames[0].Module()).IsMade() || cut != 1 {
			t.Errorf("%x, %d counted", frames, cut)
		}
	})

	t.Run("where it keeps a frame pointer, a stack goes through it, and is whole", func(t *testing.T) {
		r := start(t, everything)
		jit, ok := victim.NewJIT(0, true)
		if !ok {
			t.Skip("no memory may be made executable")
		}
		defer jit.Drop()
		before := value(t, r, "stacks_cut_no_file")
		atRoot(func() { victim.Free(jit.Malloc(93010)) })
		cut := value(t, r, "stacks_cut_no_file") - before
		s := snapshot(t, r)
		frames, called := s.stackOf(t, 93010)
		want := []string{"victim_jit_call", "TestCodeMadeAtRunTime.func2.1", goroutine}
		if !jit.Holds(frames[0].Address()) || !s.Module(frames[0].Module()).IsMade() || cut != 0 {
			t.Errorf("%x, %d counted", frames, cut)
		}
		if diff := cmp.Diff(want, called); diff != "" {
			t.Errorf("wanted −, got +\n%s", diff)
		}
	})

	t.Run("a stack goes from such code into other such code, once both have been seen", func(t *testing.T) {
		unwatched(t)
		r := start(t, everything)
		inner, ok := victim.NewJITAround(victim.JIT{})
		outer, _ := victim.NewJITAround(inner)
		if !ok {
			t.Skip("no memory may be made executable")
		}
		defer inner.Drop()
		defer outer.Drop()
		atRoot(func() { victim.Free(outer.MallocAround(93020)) })
		r.look()
		atRoot(func() { victim.Free(outer.MallocAround(93021)) })
		s := snapshot(t, r)
		if frames, _ := s.stackOf(t, 93020); len(frames) != 1 || !inner.Holds(frames[0].Address()) {
			t.Errorf("into code that was not seen: %x", frames)
		}
		frames, called := s.stackOf(t, 93021)
		if !inner.Holds(frames[0].Address()) || !outer.Holds(frames[1].Address()) || called[len(called)-1] != goroutine {
			t.Errorf("%x, %q", frames, called)
		}
	})

	for _, seen := range []bool{false, true} {
		for name, chain := range map[string]victim.Chain{
			"is not aligned":                                  victim.OddChain,
			"points to no memory":                             victim.UnmappedChain,
			"points below the stack pointer":                  victim.ChainBelow,
			"is further away than a frame is large":           victim.FarChain,
			"leads to a small number as return address":       victim.ChainToData,
			"leads to zero as return address":                 victim.ChainToZero,
			"leads into such code, behind no call":            victim.ChainToCode,
			"leads to an address in the stack":                victim.ChainToStack,
			"leads to the beginning of a function":            victim.ChainToStart,
			"leads to an address in the middle of a function": victim.ChainToMiddle,
		} {
			t.Run(fmt.Sprintf("it may use the frame pointer for data, which %s: a stack ends there; seen: %t", name, seen), func(t *testing.T) {
				r := start(t, everything)
				jit, ok := victim.NewJITChain()
				if !ok {
					t.Skip("no memory may be made executable")
				}
				defer jit.Drop()
				if seen {
					r.look()
				}
				before := value(t, r, "stacks_cut_no_file")
				victim.Free(jit.MallocChain(chain, 93030))
				cut := value(t, r, "stacks_cut_no_file") - before
				if frames, _ := snapshot(t, r).stackOf(t, 93030); len(frames) != 1 || !jit.Holds(frames[0].Address()) || cut != 1 {
					t.Errorf("%x, %d counted", frames, cut)
				}
			})
		}
	}

	t.Run("where a library was that is closed, it is not taken for the library", func(t *testing.T) {
		r := start(t, everything)
		place := placeLeft(t, r, plugin(t))
		jit, ok := victim.NewJIT(place, false)
		if !ok {
			t.Skip("nothing can be put there")
		}
		defer jit.Drop()
		defer victim.Free(jit.Malloc(93001)) // before the first look
		r.look()
		defer victim.Free(jit.Malloc(93002))
		s := snapshot(t, r)
		for _, size := range []int64{93001, 93002} {
			made, _ := s.stackOf(t, size)
			if m := s.Module(made[0].Module()); len(made) != 1 || !m.IsMade() {
				t.Errorf("%x, said to be of %+v", made, m)
			}
		}
	})

	t.Run("a library that is loaded where it was is not taken for it", func(t *testing.T) {
		path := plugin(t)
		r := start(t, everything)
		place := placeLeft(t, r, path)
		r.Stop()

		r = start(t, everything)
		jit, ok := victim.NewJIT(place, false)
		if !ok {
			t.Skip("nothing can be put there")
		}
		defer victim.Free(jit.Malloc(93003))
		jit.Drop()
		q := open(t, path)
		defer q.Close()
		r.look()
		defer victim.Free(late(q))
		s := snapshot(t, r)
		made, _ := s.stackOf(t, 93003)
		if is := s.one(t, "late", 1002).Frames[0].Address() &^ 4095; is != place {
			t.Skipf("the library was put elsewhere: %#x, %#x", is, place)
		}
		if m := s.Module(made[0].Module()); !m.IsMade() {
			t.Errorf("%x, said to be of %+v", made, m)
		}
	})
}

func TestFramePointersThatLeadNowhere(t *testing.T) {
	r := start(t, everything)
	for name, chain := range map[string]victim.Chain{
		"is not aligned":                                  victim.OddChain,
		"points to no memory":                             victim.UnmappedChain,
		"points below the stack pointer":                  victim.ChainBelow,
		"is further away than a frame is large":           victim.FarChain,
		"leads to a small number as return address":       victim.ChainToData,
		"leads to an address in the stack":                victim.ChainToStack,
		"leads to the beginning of a function":            victim.ChainToStart,
		"leads to an address in the middle of a function": victim.ChainToMiddle,
	} {
		t.Run("a stack ends where the frame pointer "+name+", and is counted", func(t *testing.T) {
			size := 94000 + int64(chain)
			before := value(t, r, "stacks_cut_no_unwind_data")
			victim.Free(victim.BrokenChain(chain, uintptr(size)))
			cut := value(t, r, "stacks_cut_no_unwind_data") - before
			frames, _ := snapshot(t, r).stackOf(t, size)
			if len(frames) != 1 || !victim.WithoutUnwindData(frames[0].Address()) || cut != 1 {
				t.Errorf("%x, %d counted", frames, cut)
			}
		})
	}

	t.Run("by one that does not, a stack goes through code without unwind data", func(t *testing.T) {
		atRoot(func() { victim.Free(victim.BrokenChain(victim.WholeChain, 94100)) })
		frames, called := snapshot(t, r).stackOf(t, 94100)
		if !victim.WithoutUnwindData(frames[0].Address()) {
			t.Errorf("it does not begin there: %x", frames)
		}
		want := []string{"victim_broken_chain", "TestFramePointersThatLeadNowhere.func2.1", goroutine}
		if diff := cmp.Diff(want, called); diff != "" {
			t.Errorf("wanted −, got +\n%s", diff)
		}
	})
}

// A sample takes this much stack with the allocator's malloc, as docs/reliability.md promises.
const stackOfSample = 1536

// leastStack returns the least stack that malloc takes: at times the allocator does more work than at others.
func leastStack() uintptr {
	least := victim.MallocStackUse(5000)
	for range 9 {
		least = min(least, victim.MallocStackUse(5000))
	}
	return least
}

func TestStackThatRecordingTakes(t *testing.T) {
	alone := leastStack()
	for _, depth := range []int{1, 128, 512} {
		t.Run(fmt.Sprintf("a sample takes what is promised when %d frames are kept", depth), func(t *testing.T) {
			o := everything
			o.MaxDepth, o.ThreadNames = depth, true
			start(t, o)
			if used := leastStack(); used > stackOfSample || used <= alone {
				t.Errorf("%d bytes, %d without", used, alone)
			}
		})
	}
	t.Run("a block that is not sampled takes nothing", func(t *testing.T) {
		o := everything
		o.SampleBytes = 1 << 40
		start(t, o)
		if used := leastStack(); used > alone {
			t.Errorf("%d bytes, %d without", used, alone)
		}
	})
}
