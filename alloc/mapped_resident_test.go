//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// The memory of an account grows with the number of recorded mappings, by what docs/account.md says.
func TestGosMemoryOfTheAccountOfManyMappings(t *testing.T) {
	const mappings, each, beside = 10_000, 300, 300
	r := start(t, everything)
	for range mappings {
		p := mapIt(page)
		defer victim.Unmap(p, page)
	}
	list, _ := mapped(t, r)
	scratch.Held()
	least := uint64(math.MaxUint64) // other goroutines allocate too
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if a, err := r.AccountNow(usage.Running, nil); err != nil || a.Err != nil {
			t.Fatal(err, a)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if _, most := scratch.Held(); most > mappings*beside {
		t.Errorf("an account with %d mappings took %d bytes beside Go's heap, %d for each", len(list), most, most/int64(len(list)))
	}
	if len(list) < mappings || least > mappings*each {
		t.Errorf("an account with %d mappings took %d bytes of Go's heap, %d for each", len(list), least, least/uint64(len(list)))
	}
}
