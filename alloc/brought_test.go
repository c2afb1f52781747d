//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	_ "github.com/cgoheap/cgoheap/allocators/jemalloc"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func resizes(name string) bool {
	return name == "victim_je_realloc" || name == "victim_je_rallocx" || name == "victim_je_xallocx"
}

// An allocator that a library brings along, under names with a prefix, is hooked by an import.
func TestEveryFunctionOfABroughtFamily(t *testing.T) {
	for i, release := range victim.BroughtFrees {
		r := start(t, everything)
		held, gone := make(map[string]stack.Values), make(map[string]stack.Values)
		blocks := make([]unsafe.Pointer, 0, 20)
		perform(func() {
			for name, allocate := range victim.Brought {
				if resizes(name) {
					continue
				}
				for range 3 {
					blocks = append(blocks, allocate(nil, 1000))
				}
				held[name], gone[name] = kept(3, 1000), passed(3, 1000)
			}
		})
		recordedSites(t, r, held)
		for _, block := range blocks {
			release(block, 1000)
		}
		recordedSites(t, r, gone)
		if stop(t, r); t.Failed() {
			t.Fatalf("function %d that frees", i)
		}
	}
}

func TestBlocksOfABroughtFamilyAreResized(t *testing.T) {
	for name, resize := range victim.Brought {
		if !resizes(name) {
			continue
		}
		r := start(t, everything)
		var p unsafe.Pointer
		perform(func() {
			p = victim.Brought["victim_je_malloc"](nil, 1000)
			if resize(p, 1<<40) != nil {
				t.Errorf("%s found a terabyte", name)
			}
		})
		recordedSites(t, r, map[string]stack.Values{"victim_je_malloc": kept(1, 1000)})
		perform(func() { p = resize(p, 400) })
		recordedSites(t, r, map[string]stack.Values{"victim_je_malloc": passed(1, 1000), name: kept(1, 400)})
		victim.BroughtFrees[0](p, 400)
		recordedSites(t, r, map[string]stack.Values{"victim_je_malloc": passed(1, 1000), name: passed(1, 400)})
		stop(t, r)
	}
}

// Sampled, the families share one countdown, and the estimate holds.
func TestABroughtFamilyIsSampled(t *testing.T) {
	o := everything
	o.SampleBytes = 4096
	r := start(t, o)
	const blocks, size = 20000, 512
	perform(func() {
		for range blocks {
			p := victim.Brought["victim_je_malloc"](nil, size)
			victim.BroughtFrees[0](p, size)
		}
	})
	got := performed(t, r)["victim_je_malloc"]
	const want = blocks * size
	if got.InuseBytes != 0 || got.AllocBytes < want*9/10 || got.AllocBytes > want*11/10 {
		t.Errorf("%+v, want %d bytes allocated and none in use", got, want)
	}
}
