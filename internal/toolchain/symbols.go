package toolchain

import (
	"debug/elf"
	"testing"
)

// Symbols returns the symbol table of a file that is not stripped, as debug/elf reads it.
func Symbols(t testing.TB, path string) []elf.Symbol {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return symbols
}
