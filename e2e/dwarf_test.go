package e2e

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A lineTable is the third road to lines: all rows of a file that are not Go's, as the standard library reads them, sorted
// by address. It knows nothing of inlined calls.
type lineTable []dwarf.LineEntry

const languageGo = 0x16 // DW_LANG_Go

func lines(t *testing.T, path string) lineTable {
	t.Helper()
	file := open(t, path)
	defer file.Close()
	data, err := file.DWARF()
	if err != nil {
		t.Fatalf("DWARF of %s: %v", path, err)
	}
	var table lineTable
	for units := data.Reader(); ; units.SkipChildren() {
		unit, err := units.Next()
		if err != nil {
			t.Fatalf("DWARF of %s: %v", path, err)
		}
		if unit == nil {
			break
		}
		if language, _ := unit.Val(dwarf.AttrLanguage).(int64); language != languageGo {
			table = append(table, rows(t, data, unit)...)
		}
	}
	slices.SortStableFunc(table, func(a, b dwarf.LineEntry) int { return cmp.Compare(a.Address, b.Address) })
	return table
}

func rows(t *testing.T, data *dwarf.Data, unit *dwarf.Entry) []dwarf.LineEntry {
	t.Helper()
	reader, err := data.LineReader(unit)
	if err != nil {
		t.Fatalf("line table of %v: %v", unit.Val(dwarf.AttrName), err)
	}
	if reader == nil {
		return nil
	}
	var all []dwarf.LineEntry
	for {
		var row dwarf.LineEntry
		switch err := reader.Next(&row); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("line table of %v: %v", unit.Val(dwarf.AttrName), err)
		}
		all = append(all, row)
	}
}

// position returns where the last row is that begins at or before an ELF address; it has no function.
func (l lineTable) position(address uint64) position {
	after, _ := slices.BinarySearchFunc(l, address+1, func(row dwarf.LineEntry, address uint64) int {
		return cmp.Compare(row.Address, address)
	})
	if after == 0 || l[after-1].EndSequence {
		return position{}
	}
	row := l[after-1]
	return position{file: filepath.Clean(row.File.Name), line: row.Line}
}

// A symbolTable is the functions that a file's symbols name, static and dynamic.
type symbolTable []elf.Symbol

func symbols(t *testing.T, path string) symbolTable {
	t.Helper()
	file := open(t, path)
	defer file.Close()
	var all symbolTable
	for _, table := range []func() ([]elf.Symbol, error){file.Symbols, file.DynamicSymbols} {
		some, err := table()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			t.Fatalf("symbols of %s: %v", path, err)
		}
		all = append(all, some...)
	}
	return slices.DeleteFunc(all, func(symbol elf.Symbol) bool {
		kind := elf.ST_TYPE(symbol.Info)
		return symbol.Size == 0 || kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC && kind != elf.STT_NOTYPE
	})
}

// names returns the functions whose symbols cover an ELF address, without the suffixes that the compiler adds for parts and
// clones of a function, as in yy_reduce.constprop.0 and main.cold.
func (s symbolTable) names(address uint64) []string {
	var names []string
	for _, symbol := range s {
		if address >= symbol.Value && address < symbol.Value+symbol.Size {
			name, _, _ := strings.Cut(symbol.Name, ".")
			names = append(names, name)
		}
	}
	return names
}
