package account

import (
	"encoding/binary"
	"io"
)

// Foreign is what is known of another process, whose Go runtime and whose allocators cannot be asked. It must stand still while its pages are
// looked up.
type Foreign struct {
	GoPages []Range // that its Go runtime has mapped, in any order
	GoHeap  int64   // of objects in use, by the runtime's own figure; -1 if unknown
}

// Unread returns why another process's pages could not be looked up, nil if they were. Its Account is of no use then.
func (v *Survey) Unread() error { return v.maps }

// foreignGoLines divides the memory of another process's Go runtime by one figure. What lies in spans and what beside them is not known.
func (v *Survey) foreignGoLines(a *Account) {
	all := v.of(goMapped)
	if v.foreign.GoHeap < 0 {
		a.add(GoAll, Counted, all)
		return
	}
	objects := min(all.Resident, v.foreign.GoHeap)
	a.add(GoObjects, Figures, Size{Resident: objects})
	a.add(GoRest, Rest, Size{all.Resident - objects, all.Swapped})
}

// glibcHeap is the alignment of the memory in which glibc's arenas beside the first have their blocks, and the most that one piece has.
const glibcHeap = 64 << 20

// mostHeaps bounds where a header is looked for: 4 TiB of memory that can be written.
const mostHeaps = 1 << 16

// GlibcHeaps returns the memory of glibc's arenas beside the first one, by the list of a process's mappings and its memory. It finds the
// header of each, struct _heap_info in glibc's arena.c. Other memory at such an address does not have one.
func GlibcHeaps(maps string, memory io.ReaderAt) (heaps []Range, err error) {
	tries := 0
	for a, err := range areas(maps) {
		if err != nil {
			return nil, err
		}
		if a.nature() != anonymous || a.shared || a.exec || a.reserved {
			continue
		}
		for start := (a.Start + glibcHeap - 1) &^ (glibcHeap - 1); start >= a.Start && start < a.Limit && tries < mostHeaps; start += glibcHeap {
			tries++
			if h, ok := glibcHeapAt(start, a.Limit, memory); ok {
				heaps = append(heaps, h)
			}
		}
	}
	return heaps, nil
}

// glibcHeapAt reads a header: the arena, the piece before this one, the bytes in use and those that can be written. The first piece has its
// arena behind the header, and another one has that of the first.
func glibcHeapAt(start, limit uint64, memory io.ReaderAt) (Range, bool) {
	arena, before, used, writable, ok := heapHeader(start, memory)
	switch {
	case !ok || used == 0 || used%pageBytes != 0 || writable%pageBytes != 0 || used > writable || writable > glibcHeap || used > limit-start:
		return Range{}, false
	case before == 0:
		const most = 256 // of a header
		return Range{start, start + used}, start < arena && arena < start+most
	}
	first := arena &^ (glibcHeap - 1)
	firstArena, firstBefore, _, _, ok := heapHeader(first, memory)
	return Range{start, start + used}, ok && first != start && before%glibcHeap == 0 && firstArena == arena && firstBefore == 0
}

func heapHeader(start uint64, memory io.ReaderAt) (arena, before, used, writable uint64, ok bool) {
	var head [32]byte
	if _, err := memory.ReadAt(head[:], int64(start)); err != nil {
		return 0, 0, 0, 0, false
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(head[8*i:]) }
	return word(0), word(1), word(2), word(3), true
}
