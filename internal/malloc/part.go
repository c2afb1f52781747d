//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
)

// part is what was counted in the heaps of an arena, or of several, and how much of their resident memory was looked at for it.
type part struct {
	sum              heapCounts
	looked, resident uint64
	read             []account.Range
}

// look counts a heap.
func (p *part) look(h heap, fast []uint64, deadline time.Time) error {
	res := residencyOf(h.Range)
	t, n, err := walkHeap(h, res, fast, deadline)
	p.resident += res.total()
	if n > 0 && !errors.Is(err, errChunk) {
		p.looked += res.bytes(h.Start, h.Start+n)
		p.sum.add(t)
		p.read = append(p.read, account.Range{Start: h.Start, Limit: h.Start + n})
	}
	return err
}

// leastRead is the part of the memory that an estimate needs.
const leastRead = 100

func (p *part) enough() bool { return p.looked == p.resident || p.looked > p.resident/leastRead }

// fill sets the figures of each arena, and their sums. An arena of which little was looked at is estimated like all together. It
// returns false if too little was looked at.
func (k *Kept) fill(arenas []part) bool {
	var all part
	for i := range arenas {
		all.sum.add(arenas[i].sum)
		all.looked, all.resident = all.looked+arenas[i].looked, all.resident+arenas[i].resident
		all.read = append(all.read, arenas[i].read...)
	}
	if all.looked <= all.resident/leastRead {
		return false
	}
	k.HasFigures, k.HasResidency, k.ShareRead = true, true, float64(all.looked)/float64(all.resident)
	if k.ShareRead < 1 {
		k.Read, k.InUseRead = all.read, all.sum.inUse
	}
	for i := range arenas {
		like := all
		if arenas[i].enough() {
			like = arenas[i]
		}
		k.AddArena(like.scaled(arenas[i].resident).figures(i))
	}
	return true
}

// scaled returns what the part would count if this much of its memory were resident, and all of that had been looked at.
func (p *part) scaled(resident uint64) heapCounts {
	if p.looked == resident {
		return p.sum
	}
	factor := float64(resident) / float64(p.looked)
	of := func(n uint64) uint64 { return uint64(float64(n) * factor) }
	return heapCounts{of(p.sum.inUse), of(p.sum.free), of(p.sum.freeResident), of(p.sum.whole), of(p.sum.trimmable)}
}

func (t heapCounts) figures(number int) account.Arena {
	return account.Arena{Number: number, InUse: t.inUse, Free: t.free, FreeResident: t.freeResident,
		Trimmable: t.trimmable, Pinned: t.freeResident - t.whole}
}
