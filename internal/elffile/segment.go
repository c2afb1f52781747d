package elffile

import "debug/elf"

func (f *File) readPrograms(t tables) ([]elf.ProgHeader, error) {
	if t.programs == 0 || t.programCount == 0 {
		return nil, nil
	}
	if err := f.checkTable(t.programCount, t.programStride, elf.Prog64{}); err != nil {
		return nil, err
	}
	raw := make([]elf.Prog64, t.programCount)
	if err := f.decodeAt(t.programs, raw); err != nil {
		return nil, err
	}
	programs := make([]elf.ProgHeader, len(raw))
	for i, p := range raw {
		programs[i] = elf.ProgHeader{
			Type: elf.ProgType(p.Type), Flags: elf.ProgFlag(p.Flags), Off: p.Off, Vaddr: p.Vaddr,
			Filesz: p.Filesz, Memsz: p.Memsz, Align: p.Align,
		}
	}
	return programs, nil
}

// Segment is a part of the file that the loader maps (PT_LOAD): Filesz bytes from Offset appear at ELF address Vaddr,
// followed by zeros up to Memsz.
type Segment struct {
	Offset, Vaddr, Filesz, Memsz uint64
	Exec                         bool
}

// Segments returns the loaded segments in the order of the file, which is ascending by address in files that a loader
// accepts.
func (f *File) Segments() []Segment {
	var segments []Segment
	for _, p := range f.programs {
		if p.Type == elf.PT_LOAD {
			segments = append(segments, Segment{p.Off, p.Vaddr, p.Filesz, p.Memsz, p.Flags&elf.PF_X != 0})
		}
	}
	return segments
}

// Truncated reports whether the file ends before its loaded segments do: the process would die of SIGBUS there.
func (f *File) Truncated() bool {
	for _, s := range f.Segments() {
		if s.Offset > f.size || s.Filesz > f.size-s.Offset {
			return true
		}
	}
	return false
}

// At returns what the file holds of its memory from an ELF address on: size bytes, or an error if there are fewer.
// Relocations are not applied.
func (f *File) At(addr, size uint64) ([]byte, error) {
	for _, s := range f.Segments() {
		if skip := addr - s.Vaddr; addr >= s.Vaddr && skip < s.Filesz && size <= s.Filesz-skip {
			return f.bytes(s.Offset+skip, size)
		}
	}
	return nil, errNoSegment
}

// segmentBytes returns the bytes from an ELF address to the end of what its segment has in the file.
func (f *File) segmentBytes(addr uint64) ([]byte, error) {
	for _, s := range f.Segments() {
		if addr >= s.Vaddr && addr-s.Vaddr < s.Filesz {
			skip := addr - s.Vaddr
			return f.bytes(s.Offset+skip, s.Filesz-skip)
		}
	}
	return nil, errNoSegment
}
