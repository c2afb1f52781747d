package mappings

import "github.com/cgoheap/cgoheap/internal/elffile"

// segmentBiases returns the biases of the mappings of one file by the segments they map: start − (offset + p_vaddr −
// p_offset). An offset alone can fit several segments, because loaders round the start of a segment down to a page and
// neighbours may share that page. So each mapping gets the one of its possible biases that also fits most of the file's
// other mappings. A mapping that no segment fits has none.
func segmentBiases(segments []elffile.Segment, mapped []mapping) map[RuntimeAddr]uint64 {
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

// fittingBiases returns the possible biases of one mapping, first those by a segment with the same execute permission.
func fittingBiases(segments []elffile.Segment, m *mapping) []uint64 {
	var biases []uint64
	for _, alike := range []bool{true, false} {
		for _, s := range segments {
			if (s.Exec == m.executable()) == alike && holds(s, uint64(m.Offset)) {
				biases = append(biases, uint64(m.Start)-uint64(m.Offset)-(s.Vaddr-s.Offset))
			}
		}
	}
	return biases
}

func holds(s elffile.Segment, offset uint64) bool {
	return offset >= pageDown(s.Offset) && offset < s.Offset+s.Filesz
}

// guessedBias returns the bias of a load whose program headers cannot be read: as if the first byte of the file were at ELF
// address 0 and every segment at its offset. It is right for most shared libraries and position-independent executables.
func guessedBias(first *mapping) uint64 { return uint64(first.Start) - uint64(first.Offset) }
