package symbolize

import (
	"math"
	"slices"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
)

// symbolIndex lists where the functions of a module begin, and in which group of neighbours in its symbol tables each is
// described. It is built once, in one pass over the tables, and takes 4 bytes for each function; sizes and names stay in the
// file and are read when an address is looked up. So a new address takes a binary search, and reads one group.
type symbolIndex struct {
	tables []tableMark
	base   uint64 // the lowest address of code
	starts starts
	groups groups
	ends   []uint64
}

// entry is the distance of a function from the base, in the upper 32 bits, then the number of its table, then its own
// there. An index is built from entries.
type entry uint64

const (
	numberBits = 22
	tableBits  = 32 - numberBits
)

// The numbers of a table's functions fit into an entry.
var _ [1<<numberBits - elffile.MaxFunctions]byte

func (e entry) distance() uint64 { return uint64(e) >> 32 }
func (e entry) table() int       { return int(e >> numberBits & (1<<tableBits - 1)) }
func (e entry) number() uint32   { return uint32(e & (1<<numberBits - 1)) }

// endBlock is how many entries have one element of ends: the highest address at which a function of the block, or of one
// before it, ends. A search for an enclosing function stops there.
const endBlock = 1 << 6

// functionTable is an elffile.FunctionTable.
type functionTable interface {
	Each(yield func(number uint32, value, size uint64)) error
	At(address uint64, first, end uint32) []elffile.Symbol
	IsWhole() bool
	Identity() (file string, bytes uint64)
}

// tableMark identifies the table that the index was built from.
type tableMark struct {
	file  string
	bytes uint64
}

func marks(tables []functionTable) []tableMark {
	list := make([]tableMark, len(tables))
	for i, t := range tables {
		list[i].file, list[i].bytes = t.Identity()
	}
	return list
}

// newSymbolIndex reads the tables of a module whose code lies in the spans. A table that cannot be read counts as stripped.
func newSymbolIndex(tables []functionTable, code spans) *symbolIndex {
	x := &symbolIndex{tables: marks(tables)}
	if len(code) == 0 || len(tables) > 1<<tableBits {
		return x
	}
	x.base = code[0].low
	var memory scratch.Memory
	defer memory.Free()
	var all []entry
	for i, t := range tables {
		_ = t.Each(func(number uint32, value, _ uint64) {
			if distance := value - x.base; code.contain(value) && distance <= math.MaxUint32 {
				all = scratch.Append(&memory, all, entry(distance<<32|uint64(i)<<numberBits|uint64(number)))
			}
		})
	}
	slices.Sort(all)
	all = withoutCopies(all, tables)
	x.groups = newGroups(all, len(tables))
	x.starts = newStarts(all, x.groups)
	x.findEnds(tables, code)
	return x
}

// withoutCopies removes the entries that .dynsym repeats: it is a part of .symtab, if there is one.
func withoutCopies(all []entry, tables []functionTable) []entry {
	kept := all[:0]
	for len(all) > 0 {
		n, whole := 1, 0
		for n < len(all) && all[n].distance() == all[0].distance() {
			n++
		}
		for _, e := range all[:n] {
			if tables[e.table()].IsWhole() {
				whole++
			}
		}
		for _, e := range all[:n] {
			if tables[e.table()].IsWhole() || whole < n-whole {
				kept = append(kept, e)
			}
		}
		all = all[n:]
	}
	return kept
}

// findEnds reads the tables once more, for the sizes.
func (x *symbolIndex) findEnds(tables []functionTable, code spans) {
	x.ends = make([]uint64, (x.starts.len()+endBlock-1)/endBlock)
	for _, t := range tables {
		_ = t.Each(func(_ uint32, value, size uint64) {
			distance := value - x.base
			if !code.contain(value) || distance > math.MaxUint32 || x.starts.len() == 0 {
				return
			}
			at := x.starts.first(distance)
			if at == x.starts.len() {
				return
			}
			x.ends[at/endBlock] = max(x.ends[at/endBlock], x.end(value, value+size, code))
		})
	}
	for i := 1; i < len(x.ends); i++ {
		x.ends[i] = max(x.ends[i], x.ends[i-1])
	}
}

// end returns the end of a function that begins at low and, if it has a size, ends at high.
func (x *symbolIndex) end(low, high uint64, code spans) uint64 {
	if high > low {
		return high
	}
	end := code.at(low).high
	if next := x.starts.first(low - x.base + 1); next < x.starts.len() {
		end = min(end, x.base+x.starts.distance(next))
	}
	return end
}

// indexLimit bounds the indexed functions, at 4 bytes each: the largest programs have one or two million. Indexes beyond it
// are built again for each batch.
const indexLimit = 1 << 20

// indexes remembers the indexes of modules. When it is full it forgets all.
type indexes struct {
	modules map[moduleKey]*symbolIndex
	count   int // entries
}

// of returns the index of a module's tables.
func (x *indexes) of(m *mappings.Module, tables []functionTable, code spans) *symbolIndex {
	key := keyOf(m)
	if known := x.modules[key]; known != nil && slices.Equal(known.tables, marks(tables)) {
		return known
	}
	made := newSymbolIndex(tables, code)
	if x.count += made.starts.len(); x.count > indexLimit || x.modules == nil {
		*x = indexes{modules: make(map[moduleKey]*symbolIndex), count: made.starts.len()}
	}
	if made.starts.len() <= indexLimit {
		x.modules[key] = made
	}
	return made
}
