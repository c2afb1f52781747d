package elffile

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"slices"
)

// FunctionTable is a symbol table of which only the part that is being read is in memory. It is used while its File is open,
// by one goroutine at a time.
type FunctionTable struct {
	whole   bool
	file    *File
	entries part
	names   part
	window  []byte   // of entries
	buffer  []byte   // a name
	found   []Symbol // by At
}

// part is a section that is read piece by piece.
type part struct {
	io.ReaderAt
	size uint64
}

// FunctionTables returns .symtab and .dynsym, in this order, if the file has them; of several tables of a kind, the first
// counts. The error reports a table that exists and cannot be read.
func (f *File) FunctionTables() (tables []*FunctionTable, failure error) {
	failure = f.sectionErr
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		i := slices.IndexFunc(f.sections, func(s elf.SectionHeader) bool { return s.Type == kind })
		if i < 0 {
			continue
		}
		table, err := f.functionTable(&f.sections[i])
		if err != nil {
			failure = fmt.Errorf("reading %s of %s: %w", f.sections[i].Name, f.name, err)
			continue
		}
		tables = append(tables, table)
	}
	return tables, failure
}

func (f *File) functionTable(s *elf.SectionHeader) (*FunctionTable, error) {
	if uint64(s.Link) >= uint64(len(f.sections)) {
		return nil, fmt.Errorf("its names are in section %d of %d", s.Link, len(f.sections))
	}
	t := &FunctionTable{whole: s.Type == elf.SHT_SYMTAB, file: f}
	var err error
	if t.entries, err = f.part(s); err != nil {
		return nil, err
	}
	if t.names, err = f.part(&f.sections[s.Link]); err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	return t, nil
}

func (f *File) part(s *elf.SectionHeader) (part, error) {
	reader, data, err := f.parts(s)
	switch {
	case err != nil:
		return part{}, err
	case reader == nil:
		return part{bytes.NewReader(data), uint64(len(data))}, nil
	}
	return part{reader, uint64(reader.Size())}, nil
}

// IsWhole reports whether the table is a .symtab, which has the functions of .dynsym too.
func (t *FunctionTable) IsWhole() bool { return t.whole }

// Supplements makes of the table one that has only what another leaves out.
func (t *FunctionTable) Supplements() { t.whole = false }

// Identity returns the name of the table's file, and how many bytes the table has with its names.
func (t *FunctionTable) Identity() (file string, bytes uint64) {
	return t.file.name, t.entries.size + t.names.size
}

// MaxFunctions is more than the numbers of a table's functions.
const MaxFunctions = symbolLimit

// Each passes on the number, the ELF address and the size in bytes of all functions that the table has and that may have
// a name.
func (t *FunctionTable) Each(yield func(number uint32, value, size uint64)) error {
	return t.each(func(number uint32, s elf.Sym64) {
		if isFunction(&s) {
			yield(number, s.Value, s.Size)
		}
	})
}

func (t *FunctionTable) each(yield func(number uint32, s elf.Sym64)) error {
	return t.between(0, MaxFunctions, yield)
}

// between passes on the symbols whose numbers are first or more and less than end.
func (t *FunctionTable) between(first, end uint64, yield func(number uint32, s elf.Sym64)) error {
	const atOnce = 1 << 9
	for end = min(end, t.entries.size/elf.Sym64Size); first < end; {
		data := t.room(min(end-first, atOnce) * elf.Sym64Size)
		if n, err := t.entries.ReadAt(data, int64(first)*elf.Sym64Size); n < len(data) {
			return fmt.Errorf("reading symbols of %s: %w", t.file.name, err)
		}
		for ; len(data) > 0; first, data = first+1, data[elf.Sym64Size:] {
			s := decodeSymbol(data)
			yield(uint32(first), s)
		}
	}
	return nil
}

// room returns the window with a length.
func (t *FunctionTable) room(length uint64) []byte {
	if uint64(len(t.window)) < length {
		t.window = make([]byte, length)
	}
	return t.window[:length]
}

func isFunction(s *elf.Sym64) bool {
	kind := elf.ST_TYPE(s.Info)
	return (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC) && s.Shndx != uint16(elf.SHN_UNDEF) && s.Name != 0
}

// At returns the functions that begin at an ELF address and have a name, of those that Each numbers from first to end − 1. The
// slice is valid until the next call.
func (t *FunctionTable) At(address uint64, first, end uint32) []Symbol {
	t.found = t.found[:0]
	_ = t.between(uint64(first), uint64(end), func(_ uint32, s elf.Sym64) {
		if s.Value != address || !isFunction(&s) {
			return
		}
		if name := unversioned(t.name(uint64(s.Name))); name != "" {
			t.found = append(t.found, Symbol{Name: name, Value: s.Value, Size: s.Size})
		}
	})
	return t.found
}

// name returns the string at an offset; "" if there is none.
func (t *FunctionTable) name(offset uint64) string {
	if offset >= t.names.size {
		return ""
	}
	const usual = 1 << 8
	for length := uint64(usual); ; length *= 4 {
		length = min(length, maxName, t.names.size-offset)
		if uint64(len(t.buffer)) < length {
			t.buffer = make([]byte, length)
		}
		n, _ := t.names.ReadAt(t.buffer[:length], int64(offset))
		if end := bytes.IndexByte(t.buffer[:n], 0); end >= 0 {
			return string(t.buffer[:end])
		}
		if length == maxName || uint64(n) < length || length == t.names.size-offset {
			return ""
		}
	}
}
