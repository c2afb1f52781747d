package scratch

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// The demangler leaves two kilobytes of garbage for a long name, and a first profile needs thousands of names. The collector
// lets any heap grow to four megabytes before it begins, and what the heap has grown by stays resident for minutes. Profiles
// are taken when memory is nearly used up: then that garbage can exceed the container's limit.
//
// So Go's heap is collected after each megabyte of this garbage. And if more than two megabytes were allocated while a profile
// was written, for names, files or the compressor, what is free goes back to the kernel afterwards. The same happens before the
// debug data of a module is read, which takes megabytes beside Go's heap. All of it happens only where the collector has little
// to scan, so that a collection takes less time than the profile did. In a larger heap the garbage is lost among the program's
// own.

const (
	garbageStep = 1 << 20 // bytes of garbage between collections
	muchGarbage = 2 << 20 // bytes that a profile may leave allocated until the next collection
	smallHeap   = 4 << 20 // bytes that the collector has to scan
)

// made is how many bytes of garbage have been made.
var made atomic.Int64

// Garbage counts bytes of garbage, and collects them if it is time.
func Garbage(bytes int) {
	now := made.Add(int64(bytes))
	if now/garbageStep != (now-int64(bytes))/garbageStep && heapIsSmall() {
		runtime.GC()
	}
}

// cleared is what had been allocated when Allocated or ClearGarbage was called last.
var cleared atomic.Uint64

// Allocated returns how many bytes have been allocated in Go's heap, for ReturnGarbage. A profile calls it first.
func Allocated() uint64 {
	now := allocated()
	cleared.Store(now)
	return now
}

func allocated() uint64 {
	read := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(read)
	if read[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return read[0].Value.Uint64()
}

// ClearGarbage returns free memory to the kernel before something large is put beside Go's heap, if half a megabyte was allocated
// since it did so before, or since Allocated.
func ClearGarbage() {
	if now := allocated(); now-cleared.Load() >= garbageStep/2 && heapIsSmall() {
		cleared.Store(now)
		debug.FreeOSMemory()
	}
}

// ReturnGarbage returns free memory to the kernel if much was allocated since Allocated. Whatever the program has
// allocated meanwhile counts too: where that is much, a small heap is collected often, and once more costs little.
func ReturnGarbage(before uint64) {
	if allocated()-before >= muchGarbage && heapIsSmall() {
		debug.FreeOSMemory()
	}
}

// heapIsSmall reports whether a collection is cheap, and wanted: the program has not turned the collector off.
func heapIsSmall() bool {
	read := []metrics.Sample{{Name: "/gc/scan/total:bytes"}, {Name: "/gc/gogc:percent"}}
	metrics.Read(read)
	for _, r := range read {
		if r.Value.Kind() != metrics.KindUint64 {
			return false
		}
	}
	return read[0].Value.Uint64() <= smallHeap && read[1].Value.Uint64() != math.MaxUint64
}
