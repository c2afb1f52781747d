//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"time"

	"github.com/cgoheap/cgoheap/cgo"
)

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
