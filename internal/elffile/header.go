package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// tables is where the header tables lie.
type tables struct {
	programs, sections           uint64 // file offsets, 0 if there is no such table
	programCount, sectionCount   uint64
	programStride, sectionStride uint64
	names                        uint64 // index of the section that holds the section names
}

// ErrNotELF reports that a file is of another format.
var ErrNotELF = errors.New("not an ELF file")

// errForeign reports that an ELF file has 32 bits or is big-endian: it is neither the program nor a library of a process
// in which this profiler can run.
var errForeign = errors.New("not a 64-bit little-endian file, so not one that this process can run")

// order is the byte order of all files that are read.
var order = binary.LittleEndian

func (f *File) readHeader() (tables, error) {
	ident, err := f.bytes(0, elf.EI_NIDENT)
	if err != nil {
		return tables{}, err
	}
	if string(ident[:4]) != elf.ELFMAG {
		return tables{}, fmt.Errorf("%w: it begins with % x", ErrNotELF, ident[:4])
	}
	if class, order := elf.Class(ident[elf.EI_CLASS]), elf.Data(ident[elf.EI_DATA]); class != elf.ELFCLASS64 || order != elf.ELFDATA2LSB {
		return tables{}, fmt.Errorf("%w: it is of class %v, byte order %v", errForeign, class, order)
	}
	return f.readHeaderFields()
}

func (f *File) readHeaderFields() (tables, error) {
	var h elf.Header64
	if err := f.decodeAt(0, &h); err != nil {
		return tables{}, err
	}
	f.Type, f.Machine = elf.Type(h.Type), elf.Machine(h.Machine)
	return tables{
		programs: h.Phoff, programCount: uint64(h.Phnum), programStride: uint64(h.Phentsize),
		sections: h.Shoff, sectionCount: uint64(h.Shnum), sectionStride: uint64(h.Shentsize),
		names: uint64(h.Shstrndx),
	}, nil
}

// decodeAt reads a structure, or as many of them as the slice has elements.
func (f *File) decodeAt(offset uint64, into any) error {
	data, err := f.bytes(offset, uint64(binary.Size(into)))
	if err != nil {
		return err
	}
	_, err = binary.Decode(data, order, into)
	return err
}

// checkTable refuses a table that is not made of the structure of our class, or has more entries than the file can hold,
// before memory is set aside for it.
func (f *File) checkTable(count, stride uint64, entry any) error {
	if want := uint64(binary.Size(entry)); stride != want {
		return fmt.Errorf("entries of %d bytes, not %d", stride, want)
	}
	if count > f.size/stride {
		return fmt.Errorf("%d entries in a file of %d bytes", count, f.size)
	}
	return nil
}

// The most sections, and bytes of their names, that are believed: far above any linked file; only object files come near
// the first.
const (
	maxSections     = 1 << 18
	maxSectionNames = 1 << 26
)

// header is one entry of the section header table, with the offset of its name in the table of names.
type header struct {
	elf.SectionHeader
	name uint32
}

func (f *File) readSections(t tables) ([]elf.SectionHeader, error) {
	if t.sections == 0 {
		return nil, nil
	}
	if err := f.extend(&t); err != nil {
		return nil, err
	}
	if t.sectionCount > maxSections {
		return nil, fmt.Errorf("%d sections are more than %d", t.sectionCount, maxSections)
	}
	headers, err := f.sectionHeaders(t)
	if err != nil {
		return nil, err
	}
	return f.nameSections(headers, t.names)
}

// extend completes the tables of a file that has no room for its counts in the ELF header: they stand in section 0.
func (f *File) extend(t *tables) error {
	first := *t
	first.sectionCount = 1
	zero, err := f.sectionHeaders(first)
	if err != nil {
		return err
	}
	if t.sectionCount == 0 {
		t.sectionCount = zero[0].FileSize
	}
	if t.names == uint64(elf.SHN_XINDEX) {
		t.names = uint64(zero[0].Link)
	}
	return nil
}

func (f *File) sectionHeaders(t tables) ([]header, error) {
	if err := f.checkTable(t.sectionCount, t.sectionStride, elf.Section64{}); err != nil {
		return nil, err
	}
	raw := make([]elf.Section64, t.sectionCount)
	if err := f.decodeAt(t.sections, raw); err != nil {
		return nil, err
	}
	headers := make([]header, len(raw))
	for i, s := range raw {
		headers[i] = header{elf.SectionHeader{
			Type: elf.SectionType(s.Type), Flags: elf.SectionFlag(s.Flags), Addr: s.Addr,
			Offset: s.Off, FileSize: s.Size, Size: s.Size, Link: s.Link,
		}, s.Name}
	}
	return headers, nil
}

func (f *File) nameSections(headers []header, names uint64) ([]elf.SectionHeader, error) {
	if names >= uint64(len(headers)) {
		return nil, fmt.Errorf("the names are in section %d of %d", names, len(headers))
	}
	if headers[names].Flags&elf.SHF_COMPRESSED != 0 {
		return nil, errors.New("the names are compressed")
	}
	if headers[names].FileSize > maxSectionNames {
		return nil, fmt.Errorf("%d bytes of names are more than %d", headers[names].FileSize, maxSectionNames)
	}
	data, err := f.bytes(headers[names].Offset, headers[names].FileSize)
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	table := string(data)
	sections := make([]elf.SectionHeader, len(headers))
	for i, h := range headers {
		sections[i] = h.SectionHeader
		sections[i].Name = stringAt(table, h.name)
	}
	return sections, nil
}

// maxName bounds one name: mangled C++ names reach tens of kilobytes.
const maxName = 1 << 16

// stringAt returns the NUL-terminated string at an offset of a string table, and "" where there is none.
func stringAt(table string, offset uint32) string {
	if uint64(offset) >= uint64(len(table)) {
		return ""
	}
	rest := table[offset:]
	rest = rest[:min(len(rest), maxName)]
	end := strings.IndexByte(rest, 0)
	if end < 0 {
		return ""
	}
	return rest[:end]
}
