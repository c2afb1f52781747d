package symbolize

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// slowTable is the other road to what a symbolTable answers: all symbols are in memory, in order, with their ends, and an
// address is compared with each.
type slowTable []symbol

func newSlowTable(symbols []symbol, code spans) slowTable {
	var t slowTable
	for _, s := range symbols {
		if code.contain(s.low) && s.name != "" {
			t = append(t, s)
		}
	}
	slices.SortFunc(t, func(a, b symbol) int {
		if before(&a, &b) {
			return cmp.Or(cmp.Compare(a.low, b.low), -1)
		}
		return cmp.Or(cmp.Compare(a.low, b.low), 1)
	})
	t = slices.CompactFunc(t, func(a, b symbol) bool { return a.low == b.low })
	for i := range t {
		if t[i].high <= t[i].low {
			t[i].high = code.at(t[i].low).high
			if i+1 < len(t) {
				t[i].high = min(t[i].high, t[i+1].low)
			}
		}
	}
	return t
}

func (t slowTable) covering(address uint64) (name string) {
	for i := range t {
		if t[i].low <= address && address < t[i].high {
			name = t[i].name
		}
	}
	return name
}

// listed is a function table that is a list.
type listed struct {
	name    string
	symbols []elffile.Symbol
	whole   bool
}

func (l listed) Each(yield func(number uint32, value, size uint64)) error {
	for i, s := range l.symbols {
		yield(uint32(i), s.Value, s.Size)
	}
	return nil
}

func (l listed) At(address uint64, first, end uint32) (found []elffile.Symbol) {
	for _, s := range l.symbols[first:min(int(end), len(l.symbols))] {
		if s.Value == address && s.Name != "" {
			found = append(found, s)
		}
	}
	return found
}

func (l listed) IsWhole() bool { return l.whole }

func (l listed) Identity() (string, uint64) { return l.name, uint64(len(l.symbols)) }

func tableOf(code spans, tables ...functionTable) *symbolTable {
	return &symbolTable{symbolIndex: newSymbolIndex(tables, code), code: code, tables: tables}
}
