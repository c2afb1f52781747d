package symbolize

import (
	"sort"
	"strings"
)

// symbol is a named range of code. One without a size reaches to the next symbol of another address, or to the end of
// its section: assembly files often leave the size out.
type symbol struct {
	name string
	span
	open bool // the symbol has no size: high is only how far it may reach
}

// symbolTable finds the symbol that covers an address. Symbols may nest and overlap (entry points inside a larger
// function); the one that begins last wins, as it says most.
type symbolTable struct {
	symbols []symbol // ascending by address, one per address
	limits  []uint64 // the highest end of the symbols up to each index: where to stop looking back
}

// lookBack bounds the search for an enclosing symbol.
const lookBack = 1 << 10

// newSymbolTable takes the symbols of a file in any order.
func newSymbolTable(symbols []symbol, code spans) symbolTable {
	kept := symbols[:0]
	for _, s := range symbols {
		if code.contain(s.low) && s.name != "" {
			kept = append(kept, s)
		}
	}
	sort.Slice(kept, func(i, j int) bool { return before(&kept[i], &kept[j]) })
	t := symbolTable{symbols: onePerAddress(kept)}
	t.close(code)
	return t
}

// before orders symbols by address, and those at one address by which says most to a person: one that has a size, the
// name that a program would use (malloc before __libc_malloc), the shorter, the alphabet.
func before(a, b *symbol) bool {
	if a.low != b.low {
		return a.low < b.low
	}
	if aSized, bSized := a.high > a.low, b.high > b.low; aSized != bSized {
		return aSized
	}
	if aBars, bBars := underscores(a.name), underscores(b.name); aBars != bBars {
		return aBars < bBars
	}
	if len(a.name) != len(b.name) {
		return len(a.name) < len(b.name)
	}
	return a.name < b.name
}

func underscores(name string) int {
	return len(name) - len(strings.TrimLeft(name, "_"))
}

func onePerAddress(ordered []symbol) []symbol {
	kept := ordered[:0]
	for _, s := range ordered {
		if len(kept) == 0 || kept[len(kept)-1].low != s.low {
			kept = append(kept, s)
		}
	}
	return kept
}

// close gives an end to the symbols without a size, and notes how far those before reach.
func (t *symbolTable) close(code spans) {
	t.limits = make([]uint64, len(t.symbols))
	var limit uint64
	for i := range t.symbols {
		s := &t.symbols[i]
		if s.high <= s.low {
			s.open = true
			s.high = code.at(s.low).high
			if i+1 < len(t.symbols) {
				s.high = min(s.high, t.symbols[i+1].low)
			}
		}
		limit = max(limit, s.high)
		t.limits[i] = limit
	}
}

// covering is the symbol at an address; nil if there is none.
func (t *symbolTable) covering(address uint64) *symbol {
	i := sort.Search(len(t.symbols), func(i int) bool { return t.symbols[i].low > address }) - 1
	for last := max(0, i-lookBack); i >= last && t.limits[i] > address; i-- {
		if t.symbols[i].high > address {
			return &t.symbols[i]
		}
	}
	return nil
}
