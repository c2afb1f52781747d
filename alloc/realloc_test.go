//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// resized performs malloc(from) and realloc(to) until one of the blocks has, or has not, stayed where it was, and returns
// how often it tried. All blocks but the last are free again.
func resized(t *testing.T, from, to uintptr, stays bool) (block unsafe.Pointer, tries int64) {
	t.Helper()
	for tries < 100 {
		perform(func() {
			first := victim.Malloc(from)
			was := uintptr(first)
			block = victim.Realloc(first, to)
			if (uintptr(block) == was) == stays {
				tries += 100
			}
		})
		tries++
		if tries > 100 {
			return block, tries - 100
		}
		victim.Free(block)
	}
	t.Fatalf("of 100 blocks of %d bytes that became %d, none did so in the way looked for", from, to)
	return nil, 0
}

func TestRealloc(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to uintptr
		stays    bool
	}{
		{"grows in place", 25, 40, true},
		{"shrinks in place", 4000, 3000, true},
		{"moves to grow", 24, 300000, false},
		{"stays as it is", 1000, 1000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, everything)
			block, tries := resized(t, c.from, c.to, c.stays)
			from, to := passed(tries, int64(c.from)), passed(tries, int64(c.to))
			to.InuseObjects, to.InuseBytes = 1, int64(c.to)
			recordedSites(t, r, map[string]stack.Values{"victim_malloc": from, "victim_realloc": to})
			victim.Free(block)
			to.InuseObjects, to.InuseBytes = 0, 0
			recordedSites(t, r, map[string]stack.Values{"victim_malloc": from, "victim_realloc": to})
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

func TestBlocksFromBeforeTheStart(t *testing.T) {
	var blocks []unsafe.Pointer
	perform(func() {
		for range victim.Releases() {
			for _, way := range victim.Ways() {
				block, _ := way.Allocate(1000, 0)
				blocks = append(blocks, block)
			}
		}
		blocks = append(blocks, victim.Malloc(1000), victim.Malloc(1000), victim.Malloc(1000))
	})
	r := start(t, everything)
	var last unsafe.Pointer
	perform(func() {
		for _, release := range victim.Releases() {
			for range victim.Ways() {
				release.Free(blocks[0], 1000, 0)
				blocks = blocks[1:]
			}
		}
		victim.Realloc(blocks[0], 0)
		if victim.Realloc(blocks[1], tooMuch) != nil {
			t.Error("there were that many bytes")
		}
		victim.Free(blocks[1])
		last = victim.Realloc(blocks[2], 3000)
	})
	recordedSites(t, r, map[string]stack.Values{"victim_realloc": kept(1, 3000)})
	victim.Free(last)
	recordedSites(t, r, map[string]stack.Values{"victim_realloc": passed(1, 3000)})
}

// A block that is allocated or freed by libc's own names is another allocator's, as far as the hooks can see.
func TestBlocksOfAnotherAllocator(t *testing.T) {
	if victim.FreePastHooks(nil) == false {
		t.Skip("this libc's allocator has no other names")
	}
	r := start(t, everything)

	t.Run("what the hooks did not allocate is not counted when they free or move it", func(t *testing.T) {
		perform(func() {
			for range 100 {
				victim.Free(victim.MallocPastHooks(100))
				victim.Free(victim.Realloc(victim.MallocPastHooks(100), 200))
			}
		})
		recordedSites(t, r, map[string]stack.Values{"victim_realloc": passed(100, 200)})
	})

	t.Run("what is freed past the hooks is in use only until its address is allocated again", func(t *testing.T) {
		seen := make(map[unsafe.Pointer]bool)
		perform(func() {
			for range 100 {
				block := victim.Malloc(56)
				seen[block] = true
				victim.FreePastHooks(block)
			}
		})
		n := int64(len(seen))
		want := stack.Values{AllocObjects: 100, AllocBytes: 5600, InuseObjects: n, InuseBytes: 56 * n}
		if got := performed(t, r)["victim_malloc"]; n == 100 || got != want {
			t.Errorf("%+v, want %+v: %d addresses", got, want, n)
		}
		if unseen := value(t, r, "frees_unseen"); unseen != uint64(100-n) {
			t.Errorf("%d frees were noticed late, want %d", unseen, 100-n)
		}
	})
}
