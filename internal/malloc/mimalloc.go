//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"time"

	"github.com/cgoheap/cgoheap/cgo"
)

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
