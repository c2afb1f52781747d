package mappings

import (
	"os"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// segmentBias is the bias of a mapping by the segment that it maps: start − (offset + p_vaddr − p_offset). Loaders round
// the start of a segment down to a page, so neighbouring segments can share one; a segment with code goes before others,
// since the mapping is executable.
func segmentBias(segments []elffile.Segment, m *Mapping) (bias uint64, ok bool) {
	for _, code := range []bool{true, false} {
		for _, s := range segments {
			if s.Exec == code && holds(s, uint64(m.Offset)) {
				return uint64(m.Start) - uint64(m.Offset) - (s.Vaddr - s.Offset), true
			}
		}
	}
	return 0, false
}

func holds(s elffile.Segment, offset uint64) bool {
	page := uint64(os.Getpagesize())
	return offset >= s.Offset&^(page-1) && offset < s.Offset+s.Filesz
}

// guessedBias is the bias of a load whose program headers cannot be read: as if the first byte of the file were at ELF
// address 0 and every segment at its offset. It is right for most shared libraries and position-independent executables.
func guessedBias(first *Mapping) uint64 { return uint64(first.Start) - uint64(first.Offset) }
