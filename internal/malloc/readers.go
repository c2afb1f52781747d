//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
)

func readers(others []account.Range) []reader {
	return []reader{func(deadline time.Time) (Kept, bool) { return glibc(deadline, others...) }, jemalloc, tcmalloc, mimalloc, unnamed}
}

// less returns a - b, or 0 if b is larger: an allocator may count them one after the other, while threads go on.
func less(a, b uint64) uint64 { return a - min(a, b) }

// unnamed is an allocator that documents no figures, such as musl's.
func unnamed(time.Time) (Kept, bool) {
	for _, known := range []string{"malloc_trim", "mallctl", "MallocExtension_GetNumericProperty", "mi_process_info"} {
		if cgo.RealFunction(known) != nil {
			return Kept{}, false
		}
	}
	_, file := cgo.RealMalloc()
	var k Kept
	k.Name, k.Unknown = filepath.Base(file), "this allocator documents no figures of its own"
	if file == "" {
		k.Name = "malloc"
	}
	if strings.Contains(k.Name, "musl") {
		k.Name = "musl"
	}
	return k, true
}

// mimalloc asks mimalloc, which says only what it has committed.
func mimalloc(time.Time) (Kept, bool) {
	info, collectAll := cgo.RealFunction("mi_process_info"), cgo.RealFunction("mi_collect")
	if info == nil || collectAll == nil {
		return Kept{}, false
	}
	var k Kept
	k.Name, k.Unknown = "mimalloc", "mimalloc does not say how much of its memory is free"
	k.Rounded = roundedBy(cgo.RealFunction("mi_good_size"), goodSize)
	k.trim = func() { collect(collectAll) }
	k.resident = func() uint64 { return committed(info) }
	return k, true
}

// tcmalloc asks gperftools' MallocExtension. Free pages in its page heap are what it can release; its caches hold free blocks.
func tcmalloc(time.Time) (Kept, bool) {
	get, releaseFree := cgo.RealFunction("MallocExtension_GetNumericProperty"), cgo.RealFunction("MallocExtension_ReleaseFreeMemory")
	if get == nil || releaseFree == nil {
		return Kept{}, false
	}
	var k Kept
	k.Name, k.Rounded = "tcmalloc", roundedBy(cgo.RealFunction("nallocx"), nallocx)
	read := func(name string) uint64 {
		n, found := property(get, name)
		if !found {
			k.Unknown = "tcmalloc does not know " + name
		}
		return n
	}
	heap := func() uint64 { return less(read("generic.heap_size"), read("tcmalloc.pageheap_unmapped_bytes")) }
	k.InUse, k.Trimmable = read("generic.current_allocated_bytes"), read("tcmalloc.pageheap_free_bytes")
	k.Free = less(heap(), k.InUse)
	k.HasFigures, k.HasResidency, k.ShareRead = k.Unknown == "", k.Unknown == "", 1
	k.FreeResident, k.Pinned = k.Free, less(k.Free, k.Trimmable)
	k.trim = func() { release(releaseFree) }
	k.resident = heap
	return k, true
}
