//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// The first block that is carved from a chunk has the chunk's address.
func TestAPoolAndItsBlocksAreNotBothInUse(t *testing.T) {
	r := start(t, everything)
	var chunk unsafe.Pointer
	var blocks []unsafe.Pointer
	perform(func() {
		chunk = victim.OpenPool(1 << 16)
		for range 10 {
			blocks = append(blocks, victim.CarvePool(1000, ""))
		}
	})
	if blocks[0] != chunk {
		t.Fatal("the first block lies elsewhere")
	}
	recordedSites(t, r, map[string]stack.Values{"victim_pool_open": passed(1, 1<<16), "victim_pool_carve": kept(10, 1000)})
	for _, block := range blocks {
		victim.ReturnToPool(block)
	}
	victim.Free(chunk)
	recordedSites(t, r, map[string]stack.Values{"victim_pool_open": passed(1, 1<<16), "victim_pool_carve": passed(10, 1000)})
	if frees, unseen := value(t, r, "frees"), value(t, r, "frees_unseen"); unseen != 0 {
		t.Errorf("%d frees, %d unseen", frees, unseen)
	}
}

// A pool that is exhausted returns 0, and the table of blocks uses 1 itself.
func TestWhatCannotBeTheAddressOfABlockIsNotRecorded(t *testing.T) {
	r := start(t, everything)
	perform(func() {
		for range 10 {
			for p := range uintptr(3) {
				cgo.Allocated(p, 1000+p, "")
				cgo.Freed(p)
			}
		}
	})
	var sizes []int64
	for _, s := range snapshot(t, r).through("perform") {
		if s.AllocObjects != 10 || s.InuseObjects != 0 {
			t.Errorf("%+v of blocks of %d bytes", s.Values, s.BlockSize)
		}
		sizes = append(sizes, s.BlockSize)
	}
	if lost := value(t, r, "lost_live_table_full"); lost != 0 || !slices.Equal(sizes, []int64{1002}) {
		t.Errorf("blocks of %d bytes were recorded, and %d were lost", sizes, lost)
	}
}

// kindsInUse is what is in use of each kind, "" being none.
func kindsInUse(t *testing.T, r *Recording) map[string]int64 {
	kinds := map[string]int64{}
	for _, s := range snapshot(t, r).through("perform") {
		if victim.FunctionAt(s.Frames[0].Address()) != "victim_pool_carve" {
			continue
		}
		kind := ""
		for _, l := range s.Labels {
			if l.Key == "kind" {
				kind = l.Text
			}
		}
		kinds[kind] += s.InuseBytes
	}
	return kinds
}

func TestKindsOfBlocks(t *testing.T) {
	r := start(t, everything)
	perform(func() {
		chunk := victim.OpenPool(1 << 16)
		for range 5 {
			victim.CarvePool(100, "nodes")
			victim.CarvePool(200, "")
			victim.CarvePool(300, "names")
		}
		defer victim.Free(chunk)
	})
	want := map[string]int64{"nodes": 400, "": 1000, "names": 1500}
	if diff := cmp.Diff(want, kindsInUse(t, r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	victim.Free(victim.Malloc(10)) // a block of malloc's has no kind
}

// An address of a device, which nothing is mapped at.
func TestBlocksThatGoReports(t *testing.T) {
	r := start(t, everything)
	const device = uintptr(1) << 60
	in := func() (bytes int64) {
		for _, s := range snapshot(t, r).through("perform") {
			for _, l := range s.Labels {
				if l == (stack.Label{Key: "kind", Text: "textures"}) {
					bytes += s.InuseBytes
				}
			}
		}
		return bytes
	}
	perform(func() { cgo.Allocated(device, 5000, "textures") })
	if n := in(); n != 5000 {
		t.Errorf("in use are %d bytes, want 5000", n)
	}
	cgo.Freed(device)
	if n := in(); n != 0 {
		t.Errorf("in use are %d bytes, want none", n)
	}
}

func TestPoolsWhileNothingIsRecorded(t *testing.T) {
	chunk := victim.OpenPool(1 << 16)
	block := victim.CarvePool(100, "nodes")
	r := start(t, everything)
	victim.ReturnToPool(block)
	cgo.Pool(uintptr(chunk))
	cgo.Freed(1 << 60)
	victim.Free(chunk)
	recordedSites(t, r, map[string]stack.Values{})
}
