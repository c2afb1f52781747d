package garbage

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	step  = 1 << 20 // bytes of garbage between collections
	much  = 2 << 20 // bytes that a profile may leave allocated until the next collection
	small = 4 << 20 // bytes that the collector has to scan
)

// made is how many bytes of garbage have been made.
var made atomic.Int64

// Made counts bytes of garbage, and collects them if it is time.
func Made(bytes int) {
	now := made.Add(int64(bytes))
	if now/step != (now-int64(bytes))/step && heapIsSmall() {
		runtime.GC()
	}
}

// cleared is what had been allocated when Begin or Clear was called last.
var cleared atomic.Uint64

// Begin returns how many bytes have been allocated in Go's heap, for Return. A profile calls it first.
func Begin() uint64 {
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

// Clear returns free memory to the kernel before something large is put beside Go's heap, if half a megabyte was allocated
// since it did so before, or since Begin.
func Clear() {
	if now := allocated(); now-cleared.Load() >= step/2 && heapIsSmall() {
		cleared.Store(now)
		debug.FreeOSMemory()
	}
}

// Return returns free memory to the kernel if much was allocated since Begin. Whatever the program has
// allocated meanwhile counts too: where that is much, a small heap is collected often, and once more costs little.
func Return(before uint64) {
	if allocated()-before >= much && heapIsSmall() {
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
	return read[0].Value.Uint64() <= small && read[1].Value.Uint64() != math.MaxUint64
}
