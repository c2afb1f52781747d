//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// resized performs malloc(from) and realloc(to).
func resized(t *testing.T, from, to uintptr, stays bool) (block unsafe.Pointer) {
	t.Helper()
	perform(func() { block = victim.Malloc(from) })
	was := uintptr(block)
	perform(func() { block = victim.Realloc(block, to) })
	if (uintptr(block) == was) != stays {
		t.Fatalf("%d bytes at %#x became %d at %p", from, was, to, block)
	}
	return block
}

func TestRealloc(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to uintptr
		stays    bool
	}{
		{"grows in place", 25, 40, true},
		{"shrinks in place", 4000, 3000, true},
		{"moves to grow", 24, 256 << 20, false},
		{"stays as it is", 1000, 1000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, everything)
			block := resized(t, c.from, c.to, c.stays)
			from := passed(1, int64(c.from))
			recordedSites(t, r, map[string]stack.Values{"victim_malloc": from, "victim_realloc": kept(1, int64(c.to))})
			victim.Free(block)
			recordedSites(t, r, map[string]stack.Values{"victim_malloc": from, "victim_realloc": passed(1, int64(c.to))})
		})
	}

	t.Run("of size 0 frees", func(t *testing.T) {
		r := start(t, everything)
		perform(func() {
			if block := victim.Realloc(victim.Malloc(100), 0); block != nil {
				t.Errorf("it gave %p", block)
			}
			if block := victim.Reallocarray(victim.Malloc(100), 7, 0); block != nil {
				t.Errorf("it gave %p", block)
			}
		})
		recordedSites(t, r, map[string]stack.Values{"victim_malloc": passed(2, 100)})
	})

	t.Run("that fails leaves the block in use, with what it holds", func(t *testing.T) {
		r := start(t, everything)
		var block unsafe.Pointer
		perform(func() {
			block = victim.Malloc(100)
			*(*byte)(block) = 42
			for range 100 {
				if victim.Realloc(block, tooMuch) != nil || victim.Reallocarray(block, 1, tooMuch) != nil {
					t.Fatal("there were that many bytes")
				}
			}
		})
		if *(*byte)(block) != 42 {
			t.Error("the block changed")
		}
		recordedSites(t, r, map[string]stack.Values{"victim_malloc": kept(1, 100)})
		victim.Free(block)
		recordedSites(t, r, map[string]stack.Values{"victim_malloc": passed(1, 100)})
	})
}
