package elffile

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// Symbol is a function of the symbol tables. Size is 0 for many that were written in assembly.
type Symbol struct {
	Name        string // mangled, without a symbol version
	Value, Size uint64 // ELF address, bytes
}

// How many functions of a table are read, and how many bytes of names. The largest programs have one or two million.
const (
	symbolLimit = 1 << 22
	namesLimit  = 1 << 29
)

// Symbols returns the defined functions of .symtab and .dynsym, ascending by address, then size, then name, each once. It
// takes memory for all of them, and keeping one name keeps the memory of all: FunctionTables does not. Either table may be
// missing; an error is returned only if nothing could be read from one that exists. A file has one table of each kind (ELF,
// Sections); in one with more the first counts.
func (f *File) Symbols() ([]Symbol, error) {
	var symbols []Symbol
	failure := f.sectionErr
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		i := slices.IndexFunc(f.sections, func(s elf.SectionHeader) bool { return s.Type == kind })
		if i < 0 {
			continue
		}
		s := &f.sections[i]
		table, err := f.symbolTable(s)
		if err != nil {
			failure = fmt.Errorf("reading %s of %s: %w", s.Name, f.name, err)
		}
		symbols = append(symbols, table...)
	}
	if len(symbols) == 0 {
		return nil, failure
	}
	slices.SortFunc(symbols, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Size, b.Size), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(symbols), nil
}

func (f *File) symbolTable(s *elf.SectionHeader) ([]Symbol, error) {
	data, err := f.content(s)
	if err != nil {
		return nil, err
	}
	if uint64(s.Link) >= uint64(len(f.sections)) {
		return nil, fmt.Errorf("its names are in section %d of %d", s.Link, len(f.sections))
	}
	names, err := f.content(&f.sections[s.Link])
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	return f.functions(data, string(names)), nil
}

// functions shares the memory of names among all symbols: a hostile table may name the same long string a million times.
// It reads up to the limits, so that it cannot take long to look at the names, and to sort them.
func (f *File) functions(data []byte, names string) []Symbol {
	var symbols []Symbol
	looked := 0 // at bytes of names
	for ; len(data) >= elf.Sym64Size && len(symbols) < symbolLimit && looked < namesLimit; data = data[elf.Sym64Size:] {
		s := decodeSymbol(data)
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || s.Shndx == uint16(elf.SHN_UNDEF) {
			continue
		}
		name := stringAt(names, s.Name)
		if looked += len(name); name == "" && uint64(s.Name) < uint64(len(names)) && names[s.Name] != 0 {
			looked += maxName // it has no end so near
		}
		if name = unversioned(name); name != "" {
			symbols = append(symbols, Symbol{Name: name, Value: s.Value, Size: s.Size})
		}
	}
	return symbols
}

func decodeSymbol(data []byte) elf.Sym64 {
	return elf.Sym64{
		Name: order.Uint32(data), Info: data[4], Shndx: order.Uint16(data[6:]),
		Value: order.Uint64(data[8:]), Size: order.Uint64(data[16:]),
	}
}

// unversioned removes what GNU ld appends to names in .symtab: memcpy@@GLIBC_2.14. Other names with an @ exist: Go spells
// struct tags out in the names of generic functions.
func unversioned(name string) string {
	at := strings.IndexByte(name, '@')
	if at <= 0 {
		return name
	}
	version := strings.TrimLeft(name[at:], "@")
	for _, c := range version {
		if c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return name
		}
	}
	return name[:at]
}
