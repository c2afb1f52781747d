package symbolize

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
)

// Variables are asked for seldom, by thousands of addresses at once, most of which lie in a few large arrays. So nothing is
// remembered, and the symbol tables are passed over twice, whatever the number of addresses:
//
//	addresses, ascending ─► the variable around each: the one that begins last ─► where these begin, ascending ─► their names
//
// Only the names of what was found are read, one by one, so no name keeps a table of strings in memory.

// Variable is what holds an address of data.
type Variable struct {
	Name        string // demangled in the Symbolizer's Style, without what compilers append (cache.0); "" if no symbol has the address
	File        string // the source file that alone sees it; "" if others see it too, or it is unknown
	Start, Size uint64 // as elffile.DataSymbol's Value and Size
}

// Storage is where variables lie.
type Storage bool

// The kinds of storage.
const (
	Static      Storage = false // addresses are ELF addresses
	ThreadLocal Storage = true  // addresses are offsets in the part of thread-local storage that a thread has for the file
)

// How many times an address may be given another variable, and how many names are read: only hostile files reach these.
const (
	coverLimit = 1 << 24
	nameLimit  = 1 << 18
)

// Variables returns the variables around addresses of a module's data, by the symbol tables of its file and of its separate
// debug file: each once, and for each address 1 + its variable's index, 0 for one that no symbol covers. The addresses may have
// any order.
func (s *Symbolizer) Variables(m *mappings.Module, storage Storage, addresses []uint64) (list []Variable, of []uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of = make([]uint32, len(addresses))
	if m == nil || m.IsMade() || len(addresses) == 0 {
		return nil, of
	}
	file, err := openModule(m)
	if err == nil {
		defer file.Close()
	}
	finder := s.finder
	finder.Allowance = elffile.NewAllowance(s.options.unpackBytes())
	files := finder.Open(debugfile.Module{Path: m.Path, BuildID: buildID(m, file), File: file})
	defer files.Close()
	if !files.Found() {
		return nil, of
	}
	tables, _ := files.Functions()
	search := newVariableSearch(addresses)
	defer search.memory.Free()
	search.cover(tables, storage)
	search.name(tables, storage, s.options.Style)
	for i, address := range addresses {
		of[i] = search.at(address)
	}
	return search.found, of
}

// variableSearch looks for the variables around addresses.
type variableSearch struct {
	memory  scratch.Memory
	covered []covered  // ascending
	starts  []uint64   // ascending
	found   []Variable // which begin there
	updates int
}

// covered is an address, and the variable around it that begins last.
type covered struct{ address, start, size uint64 }

func newVariableSearch(addresses []uint64) *variableSearch {
	v := &variableSearch{}
	v.covered = scratch.Slice[covered](&v.memory, len(addresses))
	for i, address := range addresses {
		v.covered[i].address = address
	}
	slices.SortFunc(v.covered, func(a, b covered) int { return cmp.Compare(a.address, b.address) })
	v.covered = slices.CompactFunc(v.covered, func(a, b covered) bool { return a.address == b.address })
	return v
}

// from returns the index of the first address that is not below a given one.
func (v *variableSearch) from(address uint64) int {
	i, _ := slices.BinarySearchFunc(v.covered, address, func(c covered, address uint64) int { return cmp.Compare(c.address, address) })
	return i
}

// cover finds the variable around each address.
func (v *variableSearch) cover(tables []*elffile.FunctionTable, storage Storage) {
	for _, t := range tables {
		_ = t.EachVariable(bool(storage), v.coverOne)
	}
	for i := range v.covered {
		if c := &v.covered[i]; c.size > 0 && (len(v.starts) == 0 || v.starts[len(v.starts)-1] != c.start) {
			v.starts = scratch.Append(&v.memory, v.starts, c.start)
		}
	}
	slices.Sort(v.starts) // a variable inside another separates the addresses of that
	v.starts = slices.Compact(v.starts)
}

// coverOne gives a variable the addresses that it has, unless they have one that begins later.
func (v *variableSearch) coverOne(s *elffile.DataSymbol) {
	for i := v.from(s.Value); i < len(v.covered) && v.covered[i].address < s.Value+s.Size && v.updates < coverLimit; i++ {
		if c := &v.covered[i]; c.size == 0 || s.Value > c.start {
			c.start, c.size = s.Value, s.Size
		} else if s.Value == c.start {
			c.size = max(c.size, s.Size)
		}
		v.updates++
	}
}

// name chooses among the names of each variable, as for functions.
func (v *variableSearch) name(tables []*elffile.FunctionTable, storage Storage, style Style) {
	v.found = make([]Variable, len(v.starts))
	names := 0
	for _, t := range tables {
		_ = t.EachVariable(bool(storage), func(s *elffile.DataSymbol) {
			i, ok := slices.BinarySearch(v.starts, s.Value)
			if !ok || names == nameLimit {
				return
			}
			names++
			name, file := t.NameOf(s)
			best := &v.found[i]
			candidate, chosen := symbol{name: name, span: span{high: s.Size}}, symbol{name: best.Name, span: span{high: best.Size}}
			if best.Start, best.Size = s.Value, max(best.Size, s.Size); name != "" && (best.Name == "" || before(&candidate, &chosen)) {
				best.Name, best.File = name, file
			}
		})
	}
	for i := range v.found {
		v.found[i].Name = style.readableOrNot(withoutSuffix(v.found[i].Name))
	}
}

// at returns 1 + the index of what was found for an address; 0 if nothing was.
func (v *variableSearch) at(address uint64) uint32 {
	c := &v.covered[v.from(address)]
	if c.size == 0 {
		return 0
	}
	i, ok := slices.BinarySearch(v.starts, c.start)
	if !ok || v.found[i].Name == "" {
		return 0
	}
	return uint32(i + 1)
}

// withoutSuffix leaves out what compilers append to the names of variables that they make local to a function or to a part
// of the program: cache.0, cache.lto_priv.3, cache.llvm.8413.
func withoutSuffix(name string) string {
	for {
		dot := strings.LastIndexByte(name, '.')
		if dot <= 0 || dot+1 == len(name) || strings.Trim(name[dot+1:], "0123456789") != "" {
			return name
		}
		name = name[:dot]
		for _, word := range []string{".lto_priv", ".llvm"} {
			name = strings.TrimSuffix(name, word)
		}
		if name == "" {
			return name
		}
	}
}
