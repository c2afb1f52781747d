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

func TestAllocatorsThatHaveMemoryAndDoNotSayWhatIsFree(t *testing.T) {
	var reports byte
	brought := []cgo.Brought{{Prefix: "je_", Mallctl: unsafe.Pointer(&reports), Hooked: true}, {Prefix: "mi_", Hooked: true}, {Prefix: "tc_"}}
	h := account.Holding{}
	if list := silent(&h, brought); len(list) > 0 {
		t.Errorf("%+v, though none has memory", list)
	}
	list := []Mapping{{Mapped: account.Mapped{Range: account.Range{Start: 4096, Limit: 8192}, Call: 1, ID: 7}}}
	h = account.NewHolding(slices.Clone(list))
	h.See(4096, 16)
	h.Learn(list, func(*Mapping) stack.Frame { return 7 })
	if list := silent(&h, brought); len(list) != 1 || list[0].Name != "mi_malloc" || list[0].Unknown == "" {
		t.Errorf("%+v", list)
	}
}
