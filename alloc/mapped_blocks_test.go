//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/stack"
)

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
	h := holding{list: list(), holds: make([]bool, 7)}
	for _, address := range []uint64{mb - 16, mb, 2*mb - 16, 4 * mb, 5 * mb, 9 * mb} {
		h.see(address, 16)
	}
	h.see(2*mb+16, largeBlock) // malloc maps such blocks by itself
	h.see(10*mb+64, largeBlock)
	now := list()
	now[3].Call = 8 // mapped anew since the block was seen
	h.learn(now, idAsSite)
	for i, m := range now {
		h.attribute(&m, idAsSite)
		if got := m.Kind == account.Allocator; got != slices.Contains([]int{0, 2, 6}, i) {
			t.Errorf("%d: %+v", i, m)
		}
	}
}

func TestAllocatorsThatHaveMemoryAndDoNotSayWhatIsFree(t *testing.T) {
	var reports byte
	brought := []cgo.Brought{{Prefix: "je_", Mallctl: unsafe.Pointer(&reports), Hooked: true}, {Prefix: "mi_", Hooked: true}, {Prefix: "tc_"}}
	h := holding{}
	if list := h.silent(brought); len(list) > 0 {
		t.Errorf("%+v, though none has memory", list)
	}
	h.sites = map[stack.Frame]bool{7: true}
	if list := h.silent(brought); len(list) != 1 || list[0].Name != "mi_malloc" || list[0].Unknown == "" {
		t.Errorf("%+v", list)
	}
}

func TestWithoutABroughtAllocatorNothingIsAttributed(t *testing.T) {
	var h holding
	h.see(100, 16)
	list := []Mapping{mappedAt(100, 200, 1, 7)}
	h.learn(list, idAsSite)
	if h.attribute(&list[0], idAsSite); list[0].Kind != account.Program {
		t.Errorf("%+v", list[0])
	}
}
