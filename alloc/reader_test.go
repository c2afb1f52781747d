//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

//go:noinline
func ofManySizes(sizes int) []unsafe.Pointer {
	var blocks []unsafe.Pointer
	for size := range sizes {
		blocks = append(blocks, victim.Malloc(uintptr(size)))
	}
	return blocks
}

func TestBlockSizes(t *testing.T) {
	r := start(t, everything)
	const sizes = 300
	blocks := ofManySizes(sizes)
	samples := snapshot(t, r).through("ofManySizes")
	for _, block := range blocks {
		victim.Free(block)
	}

	t.Run("a stack keeps 16 sizes apart, and one sample without a size has the rest", func(t *testing.T) {
		var mixed, objects int64
		for _, s := range samples {
			if s.BlockSize == stack.MixedSizes {
				mixed++
				objects = s.AllocObjects
			} else if s.AllocObjects != 1 || s.AllocBytes != s.BlockSize {
				t.Errorf("%+v", s)
			}
		}
		if len(samples) != 17 || mixed != 1 || objects != sizes-16 {
			t.Errorf("%d samples, %d without a size, with %d blocks", len(samples), mixed, objects)
		}
		if n := value(t, r, "sizes_mixed"); n != sizes-16 {
			t.Errorf("counted %d", n)
		}
	})

	t.Run("together they are right", func(t *testing.T) {
		want := stack.Values{AllocObjects: sizes, AllocBytes: sizes * (sizes - 1) / 2}
		want.InuseObjects, want.InuseBytes = want.AllocObjects, want.AllocBytes
		if got := sum(samples); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got := sum(snapshot(t, r).through("ofManySizes")); got.InuseObjects != 0 || got.InuseBytes != 0 {
			t.Errorf("in use after all were freed: %+v", got)
		}
	})
}

//go:noinline
func below(depth int) unsafe.Pointer { return victim.Recursion(depth, 1004) }

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		name         string
		kept, walked int
		frames       int // 0: fewer than are kept
		cut          bool
	}{
		{"of a stack that is deeper than one frame, one is kept", 1, 1, 1, true},
		{"of a stack that is deeper than 512 frames, 512 are kept", 512, 600, 512, true},
		{"a stack that fits is not cut", 512, 400, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := everything
			o.MaxDepth = c.kept
			r := start(t, o)
			before := value(t, r, "stacks_cut_depth")
			victim.Free(below(c.walked))
			cut := value(t, r, "stacks_cut_depth") - before
			for _, s := range snapshot(t, r).Samples {
				if s.BlockSize != 1004 {
					continue
				}
				if n := len(s.Frames); c.cut && n != c.frames || !c.cut && (n <= c.walked || n >= c.kept) {
					t.Errorf("%d frames", n)
				}
				if (cut != 0) != c.cut {
					t.Errorf("%d stacks were counted as cut", cut)
				}
				return
			}
			t.Error("no sample")
		})
	}
}
