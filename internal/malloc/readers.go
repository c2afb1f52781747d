//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"cmp"
	"fmt"
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

// jemalloc's names for all arenas together.
const (
	jemallocAll   = "stats.arenas.4096."
	jemallocPurge = "arena.4096.purge"
)

// jemalloc asks jemalloc's mallctl. Its free pages, dirty and muzzy ones, are what a purge returns; the rest of what is free
// lies on pages with blocks in use.
func jemalloc(time.Time) (Kept, bool) {
	f := cgo.RealFunction("mallctl")
	if f == nil {
		return Kept{}, false
	}
	k := jemallocBy("jemalloc", f)
	k.Rounded = roundedBy(cgo.RealFunction("nallocx"), nallocx)
	return k, true
}

// brought asks the allocators that libraries bring along.
func brought() (all []Kept) {
	for _, b := range cgo.BroughtAllocators() {
		if b.Mallctl != nil {
			all = append(all, jemallocBy("jemalloc "+b.Prefix, b.Mallctl))
		}
	}
	return all
}

func jemallocBy(name string, f function) Kept {
	var k Kept
	k.Name = name
	if err := mallctlWrite(f, "epoch", 1); err != nil { // brings the figures up to date
		k.Unknown = "jemalloc was built without statistics"
		return k
	}
	read := func(name string) uint64 {
		n, err := mallctl(f, name, 8)
		if err != nil {
			k.Unknown = "jemalloc does not know " + name
		}
		return n
	}
	allocated, active, page := read("stats.allocated"), read("stats.active"), read("arenas.page")
	dirty := (read(jemallocAll+"pdirty") + read(jemallocAll+"pmuzzy")) * page
	if k.Unknown != "" {
		return k
	}
	k.HasFigures, k.HasResidency, k.ShareRead = true, true, 1
	k.InUse, k.Pinned, k.Trimmable = allocated, less(active, allocated), dirty
	k.Free = k.Pinned + dirty
	k.FreeResident = k.Free
	k.jemallocArenas(f, page)
	k.trim = func() { _ = mallctlDo(f, jemallocPurge) }
	k.resident = func() uint64 {
		_ = mallctlWrite(f, "epoch", 1)
		n, _ := mallctl(f, "stats.resident", 8)
		return n
	}
	return k
}

// jemallocArenas replaces the sums by the figures of all arenas that exist, if jemalloc has them.
func (k *Kept) jemallocArenas(f function, page uint64) {
	count, err := mallctl(f, "arenas.narenas", 4)
	if err != nil {
		return
	}
	k.Arenas = int(count)
	var by Kept
	for i := range k.Arenas {
		if exists, err := mallctl(f, fmt.Sprintf("arena.%d.initialized", i), 1); err == nil && exists == 0 {
			continue
		}
		a, err := jemallocArena(f, i, page)
		if err != nil {
			return
		}
		by.AddArena(a)
	}
	k.Arenas, k.ByArena = len(by.ByArena), by.ByArena
	k.InUse, k.Free, k.FreeResident, k.Trimmable, k.Pinned = by.InUse, by.Free, by.FreeResident, by.Trimmable, by.Pinned
}

func jemallocArena(f function, number int, page uint64) (account.Arena, error) {
	var failed error
	read := func(name string) uint64 {
		n, err := mallctl(f, fmt.Sprintf("stats.arenas.%d.%s", number, name), 8)
		failed = cmp.Or(failed, err)
		return n
	}
	a := account.Arena{Number: number, InUse: read("small.allocated") + read("large.allocated")}
	a.Pinned, a.Trimmable = less(read("pactive")*page, a.InUse), (read("pdirty")+read("pmuzzy"))*page
	a.Free = a.Pinned + a.Trimmable
	a.FreeResident = a.Free
	return a, failed
}
