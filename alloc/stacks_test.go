//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// names are the functions of frames that have names here: C functions that the victim knows, and Go functions of this
// package, without its path.
func names(frames []stack.Frame) []string {
	var all []string
	for _, f := range frames {
		if name := goFunction(f); name != "" {
			if _, short, ours := strings.Cut(name, "/alloc."); ours {
				all = append(all, short)
			}
		} else if name := victim.FunctionAt(f.Address()); strings.HasPrefix(name, "victim_") {
			all = append(all, name)
		}
	}
	return all
}

// stackOf is the only stack of blocks of this size, and its names.
func (s *Snapshot) stackOf(t *testing.T, size int64) (frames []stack.Frame, called []string) {
	t.Helper()
	for _, sample := range s.Samples {
		if sample.BlockSize != size {
			continue
		}
		if frames != nil {
			t.Fatalf("there are several stacks of %d bytes: %v, %v", size, called, names(sample.Frames))
		}
		frames, called = sample.Frames, names(sample.Frames)
	}
	return frames, called
}

// atRoot runs f on a goroutine that begins with this package's function atRoot.func1.
func atRoot(f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	<-done
}

const goroutine = "atRoot.func1"

// between are the closures that lead from atRoot to an allocation.
var between = regexp.MustCompile(`^(init|one|TestWaysToAllocate)\.`)

// A way is an allocation of a size, and the stacks that it must have, leaf first, by the size.
type way struct {
	name     string
	allocate func(size uintptr) []unsafe.Pointer
	stacks   [][]string // of size, of size + 1 and so on
}

func one(allocate func(uintptr) unsafe.Pointer) func(uintptr) []unsafe.Pointer {
	return func(size uintptr) []unsafe.Pointer { return []unsafe.Pointer{allocate(size)} }
}

//go:noinline
func jumped(size uintptr) []unsafe.Pointer {
	before, after := victim.Longjmp(3, size)
	return []unsafe.Pointer{before, after}
}

//go:noinline
func onFiber(size uintptr) []unsafe.Pointer {
	blocks := victim.Fiber(size)
	return blocks[:]
}

//go:noinline
func nested(callbacks int, size uintptr) (block unsafe.Pointer) {
	if callbacks == 0 {
		return victim.Malloc(size)
	}
	victim.CallBack(func() { block = nested(callbacks-1, size) })
	return block
}

//go:noinline
func locked(size uintptr) unsafe.Pointer {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return victim.Malloc(size)
}

// nest is the stack of nested.
func nest(callbacks int) []string {
	all := []string{"victim_malloc"}
	for range callbacks {
		all = append(all, "nested", "nested.func1", "victim_call_go")
	}
	return append(all, "nested")
}

var ways = []way{
	{"a call that is its function's last instruction is in that function", one(victim.NeverReturns),
		[][]string{{"victim_flies_home", "victim_ends_with_a_call", "victim_never_returns"}}},
	{"after longjmp the frames that it passed are gone", jumped,
		[][]string{{"victim_flies_home", "victim_jumps", "victim_jumps", "victim_jumps", "victim_jumps", "victim_longjmp",
			"jumped"}, {"victim_longjmp", "jumped"}}},
	{"a call that never calls back", one(victim.NoCallback), [][]string{{"victim_nocallback"}}},
	{"a call from a goroutine that is locked to its thread", one(locked), [][]string{{"victim_malloc", "locked"}}},
	{"five callbacks in each other", one(func(size uintptr) unsafe.Pointer { return nested(5, size) }), [][]string{nest(5)}},
}

func TestWaysToAllocate(t *testing.T) {
	r := start(t, everything)
	for i, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			size := 90000 + 10*int64(i)
			for range 3 { // the walk learns from the last one
				atRoot(func() {
					for _, block := range w.allocate(uintptr(size)) {
						victim.Free(block)
					}
				})
			}
			s := snapshot(t, r)
			for j, want := range w.stacks {
				_, got := s.stackOf(t, size+int64(j))
				got = slices.DeleteFunc(got, func(name string) bool { return between.MatchString(name) })
				if diff := cmp.Diff(append(slices.Clone(want), goroutine), got); diff != "" {
					t.Errorf("%d bytes: wanted −, got +\n%s", size+int64(j), diff)
				}
			}
		})
	}
}

func TestFibers(t *testing.T) {
	r := start(t, everything)
	for range 3 {
		for _, block := range onFiber(91000) {
			if block == nil {
				t.Skip("this libc has no swapcontext")
			}
			victim.Free(block)
		}
	}
	s := snapshot(t, r)
	for i, place := range []string{"a fiber", "its caller", "the fiber again"} {
		t.Run(fmt.Sprintf("the stack of %s ends where it began, complete", place), func(t *testing.T) {
			_, got := s.stackOf(t, 91000+int64(i))
			want := []string{"victim_fiber_body"}
			if i == 1 {
				want = []string{"victim_fiber", "onFiber", "TestFibers"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("wanted −, got +\n%s", diff)
			}
		})
	}
	t.Run("no stack was cut", func(t *testing.T) {
		for _, l := range s.Losses {
			if strings.HasPrefix(l.Name, "stacks_cut") {
				t.Errorf("%+v", l)
			}
		}
	})
}

func TestDeepRecursion(t *testing.T) {
	t.Run("of 10,000 frames the innermost are kept, and the block counts whole", func(t *testing.T) {
		r := start(t, everything)
		before := value(t, r, "stacks_cut_depth")
		defer victim.Free(victim.Recursion(10000, 92000))
		s := snapshot(t, r)
		frames, called := s.stackOf(t, 92000)
		if len(frames) != everything.MaxDepth || len(slices.Compact(called)) != 1 || called[0] != "victim_recursion" {
			t.Errorf("%d frames of %v", len(frames), slices.Compact(called))
		}
		if cut := value(t, r, "stacks_cut_depth") - before; cut != 1 {
			t.Errorf("%d stacks were counted as cut", cut)
		}
		if v := ofSize(t, r, 92000); v.InuseObjects != 1 {
			t.Errorf("%+v", v)
		}
	})
}
