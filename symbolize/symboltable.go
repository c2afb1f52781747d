package symbolize

import (
	"math"
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
// function); the one that begins last wins, because it is the most specific.
type symbolTable struct {
	*symbolIndex
	code   spans
	tables []functionTable
	reads  int // of groups and names
	last   struct {
		at     int // its first entry
		symbol symbol
	}
}

// lookBack bounds the search for an enclosing symbol, and readLimit what is read for all addresses of a batch: only
// hostile files reach it.
const (
	lookBack  = 1 << 10
	readLimit = 1 << 22
)

// covering returns the symbol at an address; nil if there is none.
func (t *symbolTable) covering(address uint64) *symbol {
	if t.starts.len() == 0 || address < t.base || address-t.base > math.MaxUint32 {
		return nil
	}
	end := t.starts.first(address - t.base + 1)
	for range lookBack {
		if end == 0 || t.ends[(end-1)/endBlock] <= address {
			return nil
		}
		at := t.starts.first(t.starts.distance(end - 1))
		if s := t.chosen(at, end); s.high > address {
			return s
		}
		end = at
	}
	return nil
}

// chosen returns the preferred symbol of those at one address, which are the entries from at up to end.
func (t *symbolTable) chosen(at, end int) *symbol {
	if t.last.symbol.name != "" && t.last.at == at {
		return &t.last.symbol
	}
	best, start := symbol{}, t.base+t.starts.distance(at)
	for i := at; i < end; i++ {
		if t.reads++; t.reads > readLimit {
			return &symbol{}
		}
		table, first, last := t.groups.at(t.starts.group(i))
		for _, s := range t.tables[table].At(start, first, last) {
			t.reads++
			candidate := symbol{name: s.Name, span: span{s.Value, s.Value + s.Size}}
			if best.name == "" || before(&candidate, &best) {
				best = candidate
			}
		}
	}
	if best.name != "" {
		best.open = best.high <= best.low
		best.high = t.end(best.low, best.high, t.code)
	}
	t.last.at, t.last.symbol = at, best
	return &t.last.symbol
}

// before orders symbols of one address by preference: one that has a size, the name that a program would use (malloc before
// __libc_malloc), the shorter, the alphabet.
func before(a, b *symbol) bool {
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
