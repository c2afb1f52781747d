package mappings

import (
	"os"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// segmentBiases are the biases of the mappings of one file by the segments they map: start − (offset + p_vaddr −
// p_offset). An offset alone can fit several segments, since loaders round the start of a segment down to a page and
// neighbours then share one. So each mapping gets the bias, of those that fit it, that fits most of its siblings too. A
// mapping that no segment fits has none.
func segmentBiases(segments []elffile.Segment, mapped []Mapping) map[RuntimeAddr]uint64 {
	fitting := make(map[uint64]int)
	for i := range mapped {
		for _, bias := range fittingBiases(segments, &mapped[i]) {
			fitting[bias]++
		}
	}
	biases := make(map[RuntimeAddr]uint64)
	for i := range mapped {
		for _, bias := range fittingBiases(segments, &mapped[i]) {
			if best, ok := biases[mapped[i].Start]; !ok || fitting[bias] > fitting[best] {
				biases[mapped[i].Start] = bias
			}
		}
	}
	return biases
}

// fittingBiases are the possible biases of one mapping, those by a segment of the same permission to execute first.
func fittingBiases(segments []elffile.Segment, m *Mapping) []uint64 {
	var biases []uint64
	for _, alike := range []bool{true, false} {
		for _, s := range segments {
			if (s.Exec == m.Executable()) == alike && holds(s, uint64(m.Offset)) {
				biases = append(biases, uint64(m.Start)-uint64(m.Offset)-(s.Vaddr-s.Offset))
			}
		}
	}
	return biases
}

func holds(s elffile.Segment, offset uint64) bool {
	page := uint64(os.Getpagesize())
	return offset >= s.Offset&^(page-1) && offset < s.Offset+s.Filesz
}

// guessedBias is the bias of a load whose program headers cannot be read: as if the first byte of the file were at ELF
// address 0 and every segment at its offset. It is right for most shared libraries and position-independent executables.
func guessedBias(first *Mapping) uint64 { return uint64(first.Start) - uint64(first.Offset) }
