//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/mappings"
)

// Where a heap lies low, as that of a program at fixed addresses does, numbers look like pointers to blocks. Variables that never have
// a pointer to a block of malloc's are left out: Go's runtime points to its own memory only, which is looked at for itself, and the
// profiler has copies of addresses; glibc keeps what it has measured of the processor (__x86_) and the limits of its malloc (mp_), as far as it has
// symbols of its own variables; ld.so's read-only ones are written before the program begins, and it notes how many cycles that took
// (rtld.c), and the least and the most that each tunable may be.
func isNumber(name string, module *mappings.Module) bool {
	switch name {
	case "_rtld_global_ro", "load_time", "relocate_time", "start_time", "tunable_list":
		return isLoader(module)
	case "mp_":
		return isLibc(module)
	}
	return strings.HasPrefix(name, "__x86_") || module.HoldsGo() && (strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, own))
}

// own is the path with which the names of the profiler's variables begin. Those of package cgoheap itself do not: it has no slash behind it.
var own = strings.TrimSuffix(reflect.TypeFor[Findings]().PkgPath(), "internal/reach")

func isLoader(m *mappings.Module) bool { return strings.HasPrefix(filepath.Base(m.Path), "ld-linux-") }

func isLibc(m *mappings.Module) bool { return strings.HasPrefix(filepath.Base(m.Path), "libc.so.") }

// mayHaveNumbers tells the files whose symbols are worth a look.
func mayHaveNumbers(m *mappings.Module) bool {
	return m.HoldsGo() || isLibc(m) || isLoader(m)
}

// numbers are known variables, by file and by where it was loaded.
var numbers struct {
	sync.Mutex
	of map[numbersKey][]account.Range
}

type numbersKey struct {
	path          string
	device, inode uint64
	bias          uint64
}

// numbersIn returns where the modules' variables lie that are no pointers. A module without symbols has none that are known.
func numbersIn(modules []*mappings.Module) (ranges []account.Range) {
	numbers.Lock()
	defer numbers.Unlock()
	before := numbers.of
	numbers.of = make(map[numbersKey][]account.Range)
	for _, m := range modules {
		if !mayHaveNumbers(m) {
			continue
		}
		key := numbersKey{m.Path, m.Device, m.Inode, m.Bias}
		known, ok := before[key]
		if !ok {
			known = numbersOf(m)
		}
		numbers.of[key] = known
		ranges = append(ranges, known...)
	}
	return ranges
}

func numbersOf(m *mappings.Module) (ranges []account.Range) {
	file, err := m.Open()
	if err != nil {
		return nil
	}
	defer file.Close()
	files := debugfile.Finder{}.Open(debugfile.Module{Path: m.Path, BuildID: m.BuildID, File: file}) // distributions strip glibc
	defer files.Close()
	tables, _ := files.Functions() // those before an error are valid
	for _, t := range tables {
		_ = t.EachVariable(false, func(v *elffile.DataSymbol) {
			if name, _ := t.NameOf(v); isNumber(name, m) {
				ranges = append(ranges, account.Range{Start: m.Bias + v.Value, Limit: m.Bias + v.Value + v.Size})
			}
		})
	}
	return ranges
}

// largestPart is the largest part that the copy takes for what Go's runtime has, which leads to objects of Go's heap: RUNTIMES in
// internal/twin/mark.c.
const largestPart = 1 << 20

// ofRuntime returns what Go's runtime has mapped beside its heap: tables of the heap, of the collector and of the scheduler. As with its
// variables, no word there is a pointer to a block of malloc's, and there are many times and counters. inHeap tells addresses of Go's heap.
func ofRuntime(mapped []cgo.Mapped, inHeap func(address uint64) bool) (ranges []account.Range) {
	for _, m := range mapped {
		for at := m.Start; at < m.Limit; {
			end := min(m.Limit, at&^(largestPart-1)+largestPart)
			if !inHeap(at) {
				ranges = append(ranges, account.Range{Start: at, Limit: end})
			}
			at = end
		}
	}
	return ranges
}

// variablesIn returns where Go's variables lie, without numbers. Objects of Go's that they lead to are kept. It returns nil if more than one
// module holds Go code, as with plugins.
func variablesIn(modules []*mappings.Module, all, numbers []account.Range) (list []account.Range) {
	known := 0
	for _, m := range modules {
		if m.HoldsGo() {
			known++
		}
	}
	if known != 1 {
		return nil
	}
	numbers = slices.Clone(numbers)
	slices.SortFunc(numbers, func(a, b account.Range) int { return cmp.Compare(a.Start, b.Start) })
	for _, r := range all {
		from := r.Start
		for _, n := range numbers {
			if n.Limit <= from || n.Start >= r.Limit {
				continue
			}
			if from < n.Start {
				list = append(list, account.Range{Start: from, Limit: n.Start})
			}
			from = n.Limit
		}
		if from < r.Limit {
			list = append(list, account.Range{Start: from, Limit: r.Limit})
		}
	}
	return list
}
