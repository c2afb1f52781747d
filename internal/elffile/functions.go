package elffile

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"slices"
)

// FunctionTable is a symbol table of which nothing is in memory but what is being looked at. It is used while its File is
// open, by one goroutine at a time.
type FunctionTable struct {
	whole   bool
	file    *File
	entries part
	names   part
	buffer  []byte
}

// part is a section that is read piece by piece.
type part struct {
	io.ReaderAt
	size uint64
}

// FunctionTables are .symtab and .dynsym, in this order, as far as the file has them; in a file with more of a kind the
// first counts. The error is that of a table that is there and cannot be read.
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

// Identity is the name of the table's file, and how many bytes the table has with its names.
func (t *FunctionTable) Identity() (file string, bytes uint64) {
	return t.file.name, t.entries.size + t.names.size
}

// MaxFunctions is more than the numbers of a table's functions.
const MaxFunctions = symbolLimit

// Each passes on the number, the ELF address and the size in bytes of all functions that the table has and that may have
// a name.
func (t *FunctionTable) Each(yield func(number uint32, value, size uint64)) error {
	return t.each(func(number uint32, s *elf.Sym64) {
		if isFunction(s) {
			yield(number, s.Value, s.Size)
		}
	})
}

func (t *FunctionTable) each(yield func(number uint32, s *elf.Sym64)) error {
	const atOnce = 1 << 9
	count := min(t.entries.size/elf.Sym64Size, MaxFunctions)
	buffer := make([]byte, min(count, atOnce)*elf.Sym64Size)
	var s elf.Sym64 // one for all: it escapes
	for first := uint64(0); first < count; first += atOnce {
		data := buffer[:min(count-first, atOnce)*elf.Sym64Size]
		if n, err := t.entries.ReadAt(data, int64(first)*elf.Sym64Size); n < len(data) {
			return fmt.Errorf("reading symbols of %s: %w", t.file.name, err)
		}
		for i := uint32(0); len(data) > 0; i, data = i+1, data[elf.Sym64Size:] {
			s = decodeSymbol(data)
			yield(uint32(first)+i, &s)
		}
	}
	return nil
}

func isFunction(s *elf.Sym64) bool {
	kind := elf.ST_TYPE(s.Info)
	return (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC) && s.Shndx != uint16(elf.SHN_UNDEF) && s.Name != 0
}

// At is the function of a number that Each has passed on; false if it has no name after all.
func (t *FunctionTable) At(number uint32) (Symbol, bool) {
	var entry [elf.Sym64Size]byte
	data := entry[:elf.Sym64Size]
	if n, _ := t.entries.ReadAt(data, int64(number)*elf.Sym64Size); n < len(data) {
		return Symbol{}, false
	}
	s := decodeSymbol(data)
	if !isFunction(&s) {
		return Symbol{}, false
	}
	name := unversioned(t.name(uint64(s.Name)))
	return Symbol{Name: name, Value: s.Value, Size: s.Size}, name != ""
}

// name is the string at an offset; "" if there is none.
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
