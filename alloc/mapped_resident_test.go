//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func mapping(start, limit, call uint64) Mapping {
	return Mapping{Mapped: account.Mapped{Range: account.Range{Start: start, Limit: limit}, Call: call}}
}

func TestMappingsThatChangedHaveNoCall(t *testing.T) {
	before := []Mapping{mapping(10, 20, 1), mapping(20, 30, 2), mapping(30, 40, 3), mapping(40, 50, 4), mapping(60, 70, 5)}
	after := []Mapping{mapping(5, 8, 9), mapping(10, 20, 1), mapping(20, 25, 2), mapping(30, 40, 7), mapping(60, 70, 5)}
	keepSame(before, after, rangeAndCall)
	var calls []uint64
	for _, m := range before {
		calls = append(calls, m.Call)
	}
	if want := []uint64{1, 0, 0, 0, 5}; !slices.Equal(calls, want) {
		t.Errorf("%v, want %v", calls, want)
	}
	keepSame(before, nil, rangeAndCall)
	for _, m := range before {
		if m.Call != 0 {
			t.Errorf("%+v, and nothing is known of afterwards", m)
		}
	}
}

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
