package elffile

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
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

// EhFrame returns the unwind data that the running program uses, and the ELF address it is loaded at, from which its
// pc-relative pointers count. A file without section headers has it by way of PT_GNU_EH_FRAME. The error wraps
// ErrNoSection if there is none.
func (f *File) EhFrame() (data []byte, addr uint64, err error) {
	if s := f.find(".eh_frame"); s != nil {
		data, err = f.SectionData(".eh_frame")
		if err != nil {
			return nil, 0, err
		}
		return data, s.Addr, nil
	}
	for _, p := range f.programs {
		if p.Type != elf.PT_GNU_EH_FRAME {
			continue
		}
		if data, addr, err = f.ehFrameByHeader(p); err != nil {
			return nil, 0, fmt.Errorf("finding .eh_frame of %s by PT_GNU_EH_FRAME: %w", f.name, err)
		}
		return data, addr, nil
	}
	return nil, 0, fmt.Errorf(".eh_frame of %s: %w", f.name, ErrNoSection)
}

// EhFrameParts is EhFrame, but to be read piece by piece while the File is open.
func (f *File) EhFrameParts() (part *io.SectionReader, addr uint64, err error) {
	if s := f.find(".eh_frame"); s != nil {
		part, data, err := f.SectionParts(".eh_frame")
		if err == nil && part == nil {
			part = io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
		}
		return part, s.Addr, err
	}
	data, addr, err := f.EhFrame()
	if err != nil {
		return nil, 0, err
	}
	return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))), addr, nil
}

func (f *File) ehFrameByHeader(p elf.ProgHeader) ([]byte, uint64, error) {
	header, err := f.bytes(p.Off, min(p.Filesz, 12))
	if err != nil {
		return nil, 0, err
	}
	addr, err := f.ehFramePointer(header, p.Vaddr)
	if err != nil {
		return nil, 0, err
	}
	data, err := f.segmentBytes(addr)
	if err != nil {
		return nil, 0, fmt.Errorf("at %#x: %w", addr, err)
	}
	return data[:f.ehFrameSize(data)], addr, nil
}

// ehFramePointer decodes eh_frame_ptr of .eh_frame_hdr (Linux Standard Base, 10.6.2): version 1, three encodings, the
// pointer. Linkers write it as DW_EH_PE_pcrel | DW_EH_PE_sdata4.
func (f *File) ehFramePointer(header []byte, vaddr uint64) (uint64, error) {
	const pcrel4 = 0x1b
	if len(header) < 8 || header[0] != 1 {
		return 0, errors.New("not version 1 of .eh_frame_hdr")
	}
	if header[1] != pcrel4 {
		return 0, fmt.Errorf("pointer encoding %#x", header[1])
	}
	return vaddr + 4 + uint64(int64(int32(order.Uint32(header[4:])))), nil
}

// ehFrameSize returns how many bytes belong to .eh_frame when only its start is known: entries, each behind its length, up
// to a length of 0 or one that does not fit.
func (f *File) ehFrameSize(data []byte) uint64 {
	const extended = 0xffffffff
	end := uint64(0)
	for uint64(len(data))-end >= 4 {
		length, head := uint64(order.Uint32(data[end:])), uint64(4)
		if length == extended && uint64(len(data))-end >= 12 {
			length, head = order.Uint64(data[end+4:]), 12
		}
		if length == 0 || length > uint64(len(data))-end-head {
			break
		}
		end += head + length
	}
	return end
}
