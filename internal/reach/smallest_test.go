//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"testing"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// What begins in one of Go's smallest objects is told from what begins elsewhere, through other blocks, too.
func TestTheFirstBlockOfAChainSaysWhereItBegins(t *testing.T) {
	const in, out = 0x100, 0x200
	inGo := func(root cgo.TwinRoot) cgo.TwinRoot { return root | cgo.TwinRootInGo }
	f := Findings{found: []cgo.TwinFound{
		{Holder: in, Root: inGo(cgo.TwinRootData)}, {Holder: out, Root: inGo(cgo.TwinRootData)}, {Holder: out, Through: 1, Root: inGo(cgo.TwinRootData)}, {Holder: in, Through: 2},
		{Holder: out, Through: 3}, {Holder: in, Root: inGo(cgo.TwinRootGarbage)}, {Holder: in, Root: inGo(cgo.TwinRootFinalizer)}, {Holder: in, Through: 9}, {Holder: in, Through: 8}, {},
		{Holder: in, Root: cgo.TwinRootGoHeap},
	}}
	var memory scratch.Memory
	defer memory.Free()
	f.findSmallest(&memory, func(address uint64) bool { return address == in })
	for i, want := range []bool{true, false, true, false, true, false, false, false, false, false, true} {
		if got := f.InSmallest(i); got != want {
			t.Errorf("block %d: %t", i, got)
		}
	}
}
