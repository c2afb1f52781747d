//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

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

// A block that is allocated or freed by libc's own names looks to the hooks like another allocator's.
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

// libc's functions and operator new call malloc for the program.
func TestWhatLibrariesAllocate(t *testing.T) {
	r := start(t, everything)
	var line unsafe.Pointer
	var bytes int64
	blocks := make([]unsafe.Pointer, 0, 10)
	perform(func() {
		blocks = append(blocks, victim.Strdup(99))
		line, bytes = victim.Getline(100)
		blocks = append(blocks, line, victim.Asprintf(149))
		object, array := victim.New(264), victim.NewArray(280)
		victim.Delete(victim.New(264))
		victim.DeleteArray(array)
		victim.Delete(object)
	})
	asked := map[string]stack.Values{
		"victim_strdup":        kept(1, 100),
		"victim_getline":       kept(1, bytes),
		"victim_asprintf":      {InuseObjects: 1, InuseBytes: 150}, // in steps of its own
		"victim_cxx_new":       passed(2, 264),
		"victim_cxx_new_array": passed(1, 280),
	}
	got := make(map[string]stack.Values)
	for _, s := range snapshot(t, r).through("perform") {
		site := siteOf(s, asked)
		if site == "" || site == "victim_getline" && s.BlockSize != bytes { // the stream that it reads
			continue
		}
		v := got[site]
		v.Add(s.Values)
		if site == "victim_asprintf" {
			v.AllocObjects, v.AllocBytes = 0, 0
		}
		got[site] = v
	}
	if diff := cmp.Diff(asked, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	free(blocks)
}

// siteOf is the first function of a stack that is asked for.
func siteOf(s stack.Sample, asked map[string]stack.Values) string {
	for _, f := range s.Frames {
		if name := victim.FunctionAt(f.Address()); asked[name] != (stack.Values{}) {
			return name
		}
	}
	return ""
}
