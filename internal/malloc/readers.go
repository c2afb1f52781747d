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
