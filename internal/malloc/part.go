//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

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

// glibcRounds is glibc's rule: a header of 8 bytes, 16 as the unit, 32 at least.
func glibcRounds(size uint64) uint64 { return max(32, (size+8+15)&^15) }

// Up to largestAsked bytes the allocator is asked for the size of its blocks. Its classes of larger ones are far apart; but what
// nobody writes to is not resident, so a large block has no more than the rest of its last page.
const (
	largestAsked = 64 << 10
	classUnit    = 8 // all sizes of blocks are multiples of it
)

// roundedBy returns what an allocator's own function says, which it calls once for each multiple of classUnit. Without the
// function it returns nil.
func roundedBy(f function, ask func(f function, size uint64) uint64) func(size uint64) uint64 {
	if f == nil {
		return nil
	}
	page := uint64(os.Getpagesize())
	var known []uint32
	return func(size uint64) uint64 {
		if size > largestAsked {
			return (size + page - 1) &^ (page - 1)
		}
		if known == nil {
			known = make([]uint32, largestAsked/classUnit+1)
		}
		class := max(1, (size+classUnit-1)/classUnit)
		if known[class] == 0 {
			known[class] = uint32(max(ask(f, class*classUnit), class*classUnit))
		}
		return uint64(known[class])
	}
}

var pageSize = uint64(os.Getpagesize())

// residency has the resident pages of a range.
type residency struct {
	start uint64 // of the first page
	pages []byte // one a page; bit 0: resident
}

// residencyOf asks the kernel. Pages that are not mapped are not resident.
func residencyOf(r account.Range) residency {
	start := r.Start &^ (pageSize - 1)
	res := residency{start, make([]byte, (r.Limit-start+pageSize-1)/pageSize)}
	res.ask(0, len(res.pages))
	return res
}

const pagesAtOnce = 1 << 18

// ask fills in pages. mincore fails as a whole where a part is not mapped, so that the parts are asked for alone.
func (r residency) ask(from, to int) {
	if n := to - from; n > pagesAtOnce || n > 0 && !r.mincore(from, to) && n > 1 {
		r.ask(from, from+n/2)
		r.ask(from+n/2, to)
	}
}

func (r residency) mincore(from, to int) bool {
	vec := r.pages[from:to]
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(r.start+uint64(from)*pageSize), uintptr(len(vec))*uintptr(pageSize),
		uintptr(unsafe.Pointer(&vec[0])))
	if errno != 0 {
		clear(vec)
	}
	return errno == 0
}

// at reports whether the page of an address is resident.
func (r residency) at(address uint64) bool {
	i := (address - r.start) / pageSize
	return i < uint64(len(r.pages)) && r.pages[i]&1 != 0
}

// bytes returns how many bytes from start to limit are resident.
func (r residency) bytes(start, limit uint64) (n uint64) {
	for start < limit {
		next := min(limit, start&^(pageSize-1)+pageSize)
		if r.at(start) {
			n += next - start
		}
		start = next
	}
	return n
}

func (r residency) total() (n uint64) {
	for _, p := range r.pages {
		n += uint64(p & 1)
	}
	return n * pageSize
}
