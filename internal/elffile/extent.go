package elffile

import (
	"debug/elf"
	"io"
	"strings"
)

// Extent is a range of ELF addresses that the file has bytes for.
type Extent struct{ Addr, Size uint64 }

// ReadMemory fills a buffer with what the file holds of its memory from an ELF address on. Relocations are not applied.
func (f *File) ReadMemory(into []byte, addr uint64) error {
	for _, s := range f.Segments() {
		if skip := addr - s.Vaddr; addr >= s.Vaddr && skip < s.Filesz && uint64(len(into)) <= s.Filesz-skip {
			return f.fill(into, s.Offset+skip)
		}
	}
	return errNoSegment
}

func (f *File) fill(into []byte, offset uint64) error {
	if offset > f.size || uint64(len(into)) > f.size-offset {
		return io.ErrUnexpectedEOF
	}
	_, err := io.ReadFull(io.NewSectionReader(f.reader, int64(offset), int64(len(into))), into)
	return err
}

// EhFrameExtents returns where .eh_frame lies, and .eh_frame_hdr, its index (PT_GNU_EH_FRAME). Either is empty if the file
// does not have it.
func (f *File) EhFrameExtents() (frames, index Extent) {
	if s := f.find(".eh_frame"); s != nil && s.Type != elf.SHT_NOBITS {
		frames = Extent{s.Addr, s.Size}
	}
	for _, p := range f.programs {
		if p.Type == elf.PT_GNU_EH_FRAME {
			index = Extent{p.Vaddr, p.Filesz}
		}
	}
	if frames.Size == 0 && index.Size > 0 {
		frames = f.ehFrameByIndex(index)
	}
	return f.held(frames), f.held(index)
}

// ehFrameByIndex returns where .eh_frame lies by its index: from there to the end of its segment.
func (f *File) ehFrameByIndex(index Extent) Extent {
	header, err := f.At(index.Addr, 8)
	if err != nil {
		return Extent{}
	}
	addr, err := f.ehFramePointer(header, index.Addr)
	if err != nil {
		return Extent{}
	}
	for _, s := range f.Segments() {
		if addr >= s.Vaddr && addr-s.Vaddr < s.Filesz {
			return Extent{addr, s.Filesz - (addr - s.Vaddr)}
		}
	}
	return Extent{}
}

// held returns the extent if a segment of the file has its first byte, cut where the segment ends; otherwise an empty one.
func (f *File) held(e Extent) Extent {
	for _, s := range f.Segments() {
		if skip := e.Addr - s.Vaddr; e.Addr >= s.Vaddr && skip < s.Filesz {
			return Extent{e.Addr, min(e.Size, s.Filesz-skip)}
		}
	}
	return Extent{}
}

// Stubs returns the sections in which a linker has put jumps to functions of other files.
func (f *File) Stubs() []Extent {
	var stubs []Extent
	for i := range f.sections {
		if s := &f.sections[i]; s.Name == ".plt" || s.Name == ".iplt" || strings.HasPrefix(s.Name, ".plt.") {
			stubs = append(stubs, Extent{s.Addr, s.Size})
		}
	}
	return stubs
}
