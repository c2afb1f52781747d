package mappings

import (
	"reflect"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// Module is one ELF file as it is loaded in the process: its executable ranges and what is needed to turn runtime
// addresses into ELF addresses.
type Module struct {
	ID      stack.ModuleID // set by the owner of the recording's list of modules
	Path    string         // as in /proc/self/maps, without " (deleted)"; "[vdso]" for the vdso
	Deleted bool           // the file was unlinked or replaced after it was mapped
	BuildID string         // GNU build ID, lower-case hex; "" if there is none
	Bias    uint64         // runtime address − ELF address, modulo 2^64
	Ranges  []Range        // executable, ascending, not overlapping, adjacent fragments joined
	Device  uint64
	Inode   uint64
	Written Written // the file's state when the module was found; the zero value if it could not be opened
	Plugin  bool    // the Go runtime has adopted Go code from the file; set like ID
	Err     error   // why the file could not be read; Path and Ranges are valid even then

	mapped []mapping // all mappings of the file, of other loads too
	other  process   // that has the module; "" for this process
}

// Written identifies the state of a file's content: it differs after a write.
type Written struct {
	Size int64
	Time time.Time
}

// Range is a half-open range of runtime addresses.
type Range struct {
	Start, Limit RuntimeAddr
}

// ELFAddr converts a runtime address inside the module.
func (m *Module) ELFAddr(address RuntimeAddr) ELFAddr {
	return ELFAddr(uint64(address) - m.Bias)
}

// Holds reports whether the address lies in one of the module's executable ranges.
func (m *Module) Holds(address RuntimeAddr) bool {
	for _, r := range m.Ranges {
		if r.Start <= address && address < r.Limit {
			return true
		}
	}
	return false
}

// HoldsGo reports whether the Go runtime of this process knows Go code in the module: it is the program's own, or a plugin's.
func (m *Module) HoldsGo() bool { return m.Plugin || m.HoldsProgram() }

// HoldsProgram reports whether this very code was loaded from the module, and with it all Go code of the process except that
// of plugins: the executable, or a library built as c-shared.
func (m *Module) HoldsProgram() bool { return !m.Foreign() && m.Holds(own) }

// own is an address in the program's code, also in the copy of this code that a plugin may have: a package that the program
// has too is not initialized again.
var own = RuntimeAddr(reflect.ValueOf(parseMaps).Pointer())

// Loaded returns the ranges of memory that the loader has made of the module's segments, ascending, with what begins as zero behind the
// file's part. If the file cannot be read, they are what is mapped of it.
func (m *Module) Loaded() (ranges []Range) {
	file, err := m.Open()
	if err != nil {
		for i := range m.mapped {
			ranges = append(ranges, Range{m.mapped[i].Start, m.mapped[i].Limit})
		}
		return ranges
	}
	defer file.Close()
	for _, s := range file.Segments() {
		if start, limit := m.Bias+s.Vaddr, m.Bias+s.Vaddr+s.Memsz; start < limit {
			ranges = append(ranges, Range{RuntimeAddr(start), RuntimeAddr(limit)})
		}
	}
	return ranges
}

// madePath stands for a file where there is none: code that was made at run time.
const madePath = "[code made at run time]"

// mostMade bounds the ranges of code made at run time. Runtimes that make code keep it together.
const mostMade = 4096

// Made returns the module of code that was made at run time: all executable memory without a file. Its bias is 0: its ELF
// addresses are runtime addresses.
func Made(id stack.ModuleID, ranges []Range) *Module {
	return &Module{ID: id, Path: madePath, Ranges: ranges}
}

// IsMade reports whether this is the module of code made at run time.
func (m *Module) IsMade() bool { return m != nil && m.Path == madePath }

// codeWithoutFile returns the ranges of code that was made at run time, ascending. Text that a program has moved onto huge pages
// is not among them: it has been returned to its file.
func codeWithoutFile(mappings []mapping) []Range {
	all := Module{}
	for i := range mappings {
		if m := &mappings[i]; m.anonymousCode() && len(all.Ranges) < mostMade {
			all.extend(Range{m.Start, m.Limit})
		}
	}
	return all.Ranges
}
