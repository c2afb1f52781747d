//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/account"
)

// Where there was no time for all of an arena, the rest of it is estimated alike; an arena that was hardly looked at, like the others.
func TestFiguresFromAPart(t *testing.T) {
	var k Kept
	k.Arenas = 3
	if !k.fill([]part{
		{heapCounts{inUse: 100, free: 300, freeResident: 200, whole: 150, trimmable: 120}, 250, 1000, []account.Range{{Start: 1, Limit: 2}}},
		{heapCounts{inUse: 40, free: 20, freeResident: 10, whole: 5, trimmable: 5}, 250, 250, nil},
		{heapCounts{inUse: 1}, 1, 1002, []account.Range{{Start: 5, Limit: 6}}},
	}) {
		t.Fatal("no figures")
	}
	want := []account.Arena{
		{Number: 0, InUse: 400, Free: 1200, FreeResident: 800, Trimmable: 480, Pinned: 200},
		{Number: 1, InUse: 40, Free: 20, FreeResident: 10, Trimmable: 5, Pinned: 5},
		{Number: 2, InUse: 282, Free: 640, FreeResident: 420, Trimmable: 250, Pinned: 110},
	}
	if diff := cmp.Diff(want, k.ByArena); diff != "" || k.ShareRead != 501.0/2252 {
		t.Errorf("looked at %g, -want +got:\n%s", k.ShareRead, diff)
	}
	addsUp(t, k)
	if diff := cmp.Diff([]account.Range{{Start: 1, Limit: 2}, {Start: 5, Limit: 6}}, k.Read); diff != "" || k.InUseRead != 141 {
		t.Errorf("%d bytes in use where was read, -want +got:\n%s", k.InUseRead, diff)
	}
	if k = (Kept{}); k.fill([]part{{heapCounts{inUse: 1}, 1, 1000, nil}, {}}) || k.HasResidency {
		t.Errorf("figures from a thousandth of the memory: %+v", k)
	}
}

// addsUp fails unless the sums are those of the arenas.
func addsUp(t *testing.T, k Kept) {
	t.Helper()
	var sum account.Arena
	for _, a := range k.ByArena {
		sum.InUse, sum.Free, sum.FreeResident = sum.InUse+a.InUse, sum.Free+a.Free, sum.FreeResident+a.FreeResident
		sum.Trimmable, sum.Pinned = sum.Trimmable+a.Trimmable, sum.Pinned+a.Pinned
	}
	want := account.Arena{InUse: k.InUse, Free: k.Free, FreeResident: k.FreeResident, Trimmable: k.Trimmable, Pinned: k.Pinned}
	if sum != want || len(k.ByArena) != k.Arenas {
		t.Errorf("%d of %d arenas add up to %+v, want %+v", len(k.ByArena), k.Arenas, sum, want)
	}
}
