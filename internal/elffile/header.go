package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// tables says where the header tables lie.
type tables struct {
	programs, sections           uint64 // file offsets, 0 if there is no such table
	programCount, sectionCount   uint64
	programStride, sectionStride uint64
	names                        uint64 // index of the section that holds the section names
}

// ErrNotELF reports that a file is of another format.
var ErrNotELF = errors.New("not an ELF file")

func (f *File) readHeader() (tables, error) {
	ident, err := f.bytes(0, elf.EI_NIDENT)
	if err != nil {
		return tables{}, err
	}
	if string(ident[:4]) != elf.ELFMAG {
		return tables{}, fmt.Errorf("%w: it begins with % x", ErrNotELF, ident[:4])
	}
	switch elf.Data(ident[elf.EI_DATA]) {
	case elf.ELFDATA2LSB:
		f.ByteOrder = binary.LittleEndian
	case elf.ELFDATA2MSB:
		f.ByteOrder = binary.BigEndian
	default:
		return tables{}, fmt.Errorf("unknown byte order %d", ident[elf.EI_DATA])
	}
	f.Class = elf.Class(ident[elf.EI_CLASS])
	switch f.Class {
	case elf.ELFCLASS32:
		return f.readHeader32()
	case elf.ELFCLASS64:
		return f.readHeader64()
	}
	return tables{}, fmt.Errorf("unknown class %d", ident[elf.EI_CLASS])
}

func (f *File) readHeader32() (tables, error) {
	var h elf.Header32
	if err := f.decodeAt(0, &h); err != nil {
		return tables{}, err
	}
	f.Type, f.Machine = elf.Type(h.Type), elf.Machine(h.Machine)
	return tables{
		programs: uint64(h.Phoff), programCount: uint64(h.Phnum), programStride: uint64(h.Phentsize),
		sections: uint64(h.Shoff), sectionCount: uint64(h.Shnum), sectionStride: uint64(h.Shentsize),
		names: uint64(h.Shstrndx),
	}, nil
}

func (f *File) readHeader64() (tables, error) {
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
	_, err = binary.Decode(data, f.ByteOrder, into)
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
