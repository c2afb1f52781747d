package toolchain

import (
	"debug/elf"
	"testing"
)

// Symbols returns the symbol table of a file that is not stripped, as debug/elf reads it.
func Symbols(t testing.TB, path string) []elf.Symbol {
	t.Helper()
	return symbolsOf(t, path, (*elf.File).Symbols)
}

// DynamicSymbols returns the symbols of a file that the loader sees, as debug/elf reads them.
func DynamicSymbols(t testing.TB, path string) []elf.Symbol {
	t.Helper()
	return symbolsOf(t, path, (*elf.File).DynamicSymbols)
}

func symbolsOf(t testing.TB, path string, table func(*elf.File) ([]elf.Symbol, error)) []elf.Symbol {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := table(file)
	if err != nil {
		t.Fatal(err)
	}
	return symbols
}
