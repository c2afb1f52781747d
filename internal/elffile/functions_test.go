package elffile

import (
	"debug/elf"
	"math/rand/v2"
	"slices"
	"testing"
)

// A table may have many functions, of which At reads some. They are compared with all that Symbols has.
func TestFunctionsAtAnAddressAreThoseOfTheList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := make([]elf.Sym64, 3000)
	for i := range table {
		table[i] = elf.Sym64{
			Name: uint32(random.IntN(4)), Shndx: uint16(random.IntN(8)), Size: uint64(i),
			Info: byte([]elf.SymType{elf.STT_FUNC, elf.STT_OBJECT, elf.STT_GNU_IFUNC}[random.IntN(3)]), Value: uint64(random.IntN(100)),
		}
	}
	file := native(symbolTable(elf.SHT_SYMTAB, 2, table...),
		content{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: []byte("\x00a@@V_1\x00")}).open(t)
	all, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := file.FunctionTables()
	if err != nil || len(tables) != 1 {
		t.Fatal(len(tables), err)
	}
	found := 0
	for range 1000 {
		address, first, end := uint64(random.IntN(101)), uint32(random.IntN(3100)), uint32(random.IntN(3100))
		var want []Symbol
		for _, s := range all { // the size of each is its number − 1
			if n := uint32(s.Size) + 1; s.Value == address && n >= first && n < end {
				want = append(want, s)
			}
		}
		if got := tables[0].At(address, first, end); !slices.Equal(got, want) {
			t.Fatalf("%d, %d to %d: %+v, want %+v", address, first, end, got, want)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("nothing was to be found")
	}
}
