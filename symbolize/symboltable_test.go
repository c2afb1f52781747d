package symbolize

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

func nameAt(t *symbolTable, address uint64) string {
	if s := t.covering(address); s != nil {
		return s.name
	}
	return ""
}

func TestTheSymbolThatBeginsLastBeforeAnAddressNamesIt(t *testing.T) {
	code := spans{{0x100, 0x200}, {0x200, 0x300}}
	table := tableOf(code, listed{whole: true, symbols: []elffile.Symbol{
		{Name: "outer", Value: 0x100, Size: 0x80},
		{Name: "inner", Value: 0x120, Size: 0x10},
		{Name: "__alias", Value: 0x120, Size: 0x10},
		{Name: "unsized", Value: 0x190},
		{Name: "next", Value: 0x1a0, Size: 0x10},
		{Name: "last", Value: 0x1f0},
		{Name: "elsewhere", Value: 0x400, Size: 0x100},
	}})
	for address, want := range map[uint64]string{
		0xff: "", 0x100: "outer", 0x11f: "outer", 0x120: "inner", 0x12f: "inner", 0x130: "outer", 0x180: "",
		0x190: "unsized", 0x19f: "unsized", 0x1a0: "next", 0x1b0: "", 0x1f0: "last", 0x1ff: "last", 0x200: "", 0x400: "",
	} {
		if got := nameAt(table, address); got != want {
			t.Errorf("%#x: %q, want %q", address, got, want)
		}
	}
}

func TestATableAnswersAsAListOfAllSymbolsDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	code := spans{{0x1000, 0x9000}, {0x9000, 0xa000}, {0x10000, 0x20000}}
	for round := range 200 {
		var whole, dynamic []elffile.Symbol
		var all []symbol
		for i := range random.IntN(400) {
			s := elffile.Symbol{
				Name:  fmt.Sprintf("%.*s%c%d", random.IntN(3), "__", 'a'+random.IntN(26), i),
				Value: 0x800 + uint64(random.IntN(0x2000))*16,
				Size:  uint64(random.IntN(4) * random.IntN(0x100)),
			}
			if random.IntN(20) == 0 {
				s.Size = uint64(random.IntN(0x8000))
			}
			all = append(all, symbol{name: s.Name, span: span{s.Value, s.Value + s.Size}})
			whole = append(whole, s)
			if random.IntN(2) == 0 {
				dynamic = append(dynamic, s)
			}
		}
		fast, slow := tableOf(code, listed{whole: true, symbols: whole}, listed{symbols: dynamic}), newSlowTable(all, code)
		for range 2000 {
			address := 0x800 + uint64(random.IntN(0x20000))
			if got, want := nameAt(fast, address), slow.covering(address); got != want {
				t.Fatalf("round %d, %#x: %q, want %q", round, address, got, want)
			}
		}
	}
}

func TestTheTablesOfLibrariesAnswerAsAListOfAllSymbolsDoes(t *testing.T) {
	paths := []string{"/proc/self/exe", systemLibrary(t, "libc.so.6"), systemLibrary(t, "libstdc++.so.6")}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			file, err := elffile.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			listed, err := file.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			found, err := file.FunctionTables()
			if err != nil {
				t.Fatal(err)
			}
			var tables []functionTable
			for _, table := range found {
				tables = append(tables, table)
			}
			var all []symbol
			for _, s := range listed {
				all = append(all, symbol{name: s.Name, span: span{s.Value, s.Value + s.Size}})
			}
			code := codeSpans(file)
			fast, slow := tableOf(code, tables...), newSlowTable(all, code)
			for _, address := range every(97, everyByte(t, path))[:2000] {
				if got, want := nameAt(fast, uint64(address)), slow.covering(uint64(address)); got != want {
					t.Fatalf("%#x: %q, want %q", address, got, want)
				}
			}
		})
	}
}

func TestWhatDynsymRepeatsIsNotIndexed(t *testing.T) {
	symbols := []elffile.Symbol{{Name: "a", Value: 0x1000, Size: 8}, {Name: "b", Value: 0x1000, Size: 8}, {Name: "c", Value: 0x1010}}
	only := elffile.Symbol{Name: "only", Value: 0x1020, Size: 4}
	code := spans{{0x1000, 0x2000}}
	for _, c := range []struct {
		whole bool
		want  int
	}{{true, 4}, {false, 7}} {
		table := tableOf(code, listed{whole: c.whole, symbols: symbols}, listed{symbols: append(slices.Clone(symbols), only)})
		if got := table.starts.len(); got != c.want {
			t.Errorf("whole %v: %d entries, want %d", c.whole, got, c.want)
		}
		if got := nameAt(table, 0x1021); got != "only" {
			t.Errorf("whole %v: %q", c.whole, got)
		}
	}
}
