package account

import (
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
)

func mapping(start, limit, call uint64) Mapping {
	return Mapping{Mapped: Mapped{Range: Range{Start: start, Limit: limit}, Call: call}}
}

// The ID of a mapping is its call site here.
func mappedAt(start, limit, call, site uint64) Mapping {
	m := mapping(start, limit, call)
	m.ID = site
	return m
}

func idAsSite(m *Mapping) stack.Frame { return stack.Frame(m.ID) }

func TestWhatIsMappedWhereBlocksLieIsTheAllocators(t *testing.T) {
	const allocators, programs, unknown, aligned, mb = 7, 8, 9, 10, 1 << 20
	shared := mappedAt(8*mb, 9*mb, 6, allocators)
	shared.Shared = true
	list := func() []Mapping {
		return []Mapping{
			mappedAt(1*mb, 2*mb, 1, allocators), mappedAt(2*mb, 3*mb, 2, programs), mappedAt(3*mb, 4*mb, 3, allocators), // free
			mappedAt(5*mb, 6*mb, 4, unknown), mappedAt(6*mb, 7*mb, 5, programs), shared, mappedAt(10*mb, 11*mb, 7, aligned),
		}
	}
	h := NewHolding(list())
	for _, address := range []uint64{mb - 16, mb, 2*mb - 16, 4 * mb, 5 * mb, 9 * mb} {
		h.See(address, 16)
	}
	h.See(2*mb+16, LargeBlock) // malloc maps such blocks by itself
	h.See(10*mb+64, LargeBlock)
	now := list()
	now[3].Call = 8 // mapped anew since the block was seen
	h.Learn(now, idAsSite)
	for i, m := range now {
		h.Attribute(&m, idAsSite)
		if got := m.Kind == Allocator; got != slices.Contains([]int{0, 2, 6}, i) {
			t.Errorf("%d: %+v", i, m)
		}
	}
}

func TestWithoutABroughtAllocatorNothingIsAttributed(t *testing.T) {
	var h Holding
	h.See(100, 16)
	list := []Mapping{mappedAt(100, 200, 1, 7)}
	h.Learn(list, idAsSite)
	if h.Attribute(&list[0], idAsSite); list[0].Kind != Program {
		t.Errorf("%+v", list[0])
	}
}

func TestMappingsThatChangedHaveNoCall(t *testing.T) {
	before := []Mapping{mapping(10, 20, 1), mapping(20, 30, 2), mapping(30, 40, 3), mapping(40, 50, 4), mapping(60, 70, 5)}
	after := []Mapping{mapping(5, 8, 9), mapping(10, 20, 1), mapping(20, 25, 2), mapping(30, 40, 7), mapping(60, 70, 5)}
	KeepSame(before, after, rangeAndCall)
	var calls []uint64
	for _, m := range before {
		calls = append(calls, m.Call)
	}
	if want := []uint64{1, 0, 0, 0, 5}; !slices.Equal(calls, want) {
		t.Errorf("%v, want %v", calls, want)
	}
	KeepSame(before, nil, rangeAndCall)
	for _, m := range before {
		if m.Call != 0 {
			t.Errorf("%+v, and nothing is known of afterwards", m)
		}
	}
}
