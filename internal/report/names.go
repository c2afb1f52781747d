package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// named is a frame with its module and what is shown of it. It lies in scratch memory, so it holds numbers instead of
// pointers.
type named struct {
	frame    stack.Frame
	location pprof.LocationID // 0 until needed
	module   uint32           // its number in naming
	lines    uint32           // their number in naming
	entries  uint32           // how many of the innermost lines are entries of an allocator
	leaf     uint32           // the number + 1 of the frame without them in naming; 0 until needed
	hidden   bool             // nothing to show: see Tidied
	standIn  bool             // the lines are stand-ins for names
}

// naming has the names of a report's frames.
type naming struct {
	*frames
	named   []named // by number, in scratch memory
	modules []*mappings.Module
	lines   [][]symbolize.Line
	leaves  []*named
	missing missing
	standIn standIns

	reopened map[uint32]uint32 // of modules that are one file: by number, the number of the first
}

// The numbers of modules and lines that every naming has.
const (
	noModule      = 0
	unknownModule = 1
	noLines       = 0
)

func newNaming(f *frames) *naming {
	return &naming{
		frames:  f,
		named:   scratch.Slice[named](f.memory, len(f.list)),
		modules: []*mappings.Module{noModule: nil, unknownModule: unknown},
		lines:   make([][]symbolize.Line, 1),
		missing: make(missing),
	}
}

func (n *naming) moduleOf(f *named) *mappings.Module { return n.modules[f.module] }

func (n *naming) linesOf(f *named) []symbolize.Line { return n.lines[f.lines] }

// addModule numbers a module.
func (n *naming) addModule(m *mappings.Module) uint32 {
	if m == nil {
		return noModule
	}
	n.modules = append(n.modules, m)
	return uint32(len(n.modules) - 1)
}

// addLines numbers lines. Neighbours often share theirs.
func (n *naming) addLines(lines []symbolize.Line) uint32 {
	if len(lines) == 0 {
		return noLines
	}
	if last := n.lines[len(n.lines)-1]; len(last) != len(lines) || &last[0] != &lines[0] {
		n.lines = append(n.lines, lines)
	}
	return uint32(len(n.lines) - 1)
}

// sentences returns which names the profile lacks, and what stands in for them.
func (n *naming) sentences() []string {
	return append(n.missing.sentences(), n.standIn.sentences()...)
}

// name names every different frame of the samples, file by file. The frames lie in the memory.
func (r *Report) name(memory *scratch.Memory) *naming {
	n := newNaming(framesOf(r.each(), memory))
	counts := make(map[stack.ModuleID]int)
	for _, f := range n.list {
		counts[f.Module()]++
	}
	byModule := make(map[stack.ModuleID][]int, len(counts))
	for number, f := range n.list {
		id := f.Module()
		if byModule[id] == nil {
			byModule[id] = make([]int, 0, counts[id])
		}
		byModule[id] = append(byModule[id], number)
	}
	for _, id := range fewestFirst(byModule) {
		if id == stack.NoCode {
			r.nameHolders(n, byModule[id])
			continue
		}
		r.nameModule(n, r.Module(id), byModule[id])
	}
	n.reopen()
	r.Names.Note(n.missing.sum())
	return n
}

// fewestFirst sorts modules by how many frames they have. While a module is named, its debug data is in memory, on top of all
// names made before. Names stay in memory, debug data does not, and a library with a few names can have the most of it. So the
// module with most names comes last.
func fewestFirst(byModule map[stack.ModuleID][]int) []stack.ModuleID {
	return slices.SortedFunc(maps.Keys(byModule), func(a, b stack.ModuleID) int {
		return cmp.Or(cmp.Compare(len(byModule[a]), len(byModule[b])), cmp.Compare(a, b))
	})
}

func (r *Report) nameModule(n *naming, m *mappings.Module, numbers []int) {
	addresses := make([]mappings.ELFAddr, len(numbers))
	for i, number := range numbers {
		addresses[i] = elfAddress(m, n.list[number])
	}
	results := r.Names.Resolve(m, addresses)
	n.lines = slices.Grow(n.lines, len(numbers)/2) // neighbours share theirs
	module := n.addModule(m)
	for i, number := range numbers {
		result := results[i]
		if m == nil && !r.Foreign { // where the loaded files could not be read, the runtime still knows Go's functions
			if lines := symbolize.GoLines(mappings.RuntimeAddr(n.list[number].Address())); lines != nil {
				result = symbolize.Result{Lines: lines}
			}
		}
		n.missing.add(m, result)
		n.named[number] = named{frame: n.list[number], module: module}
		r.see(n, &n.named[number], &result)
	}
}

// see records what is shown of a frame whose look-up had a result.
func (r *Report) see(n *naming, f *named, result *symbolize.Result) {
	tidied := r.Names.Tidy(result.Lines)
	f.entries, f.hidden = uint32(tidied.Entries), tidied.Hidden
	m, lines := n.moduleOf(f), tidied.Lines
	switch {
	case len(result.Lines) == 0 && m == nil:
		f.module, f.standIn, lines = unknownModule, true, nowhere(unknown)
	case len(result.Lines) == 0 && m.IsMade():
		f.standIn, lines = true, nowhere(m)
	case !r.Bare:
		if line := n.standIn.line(m, result); line != nil {
			f.standIn, lines = true, line
		}
	}
	f.lines = n.addLines(lines)
}

// elfAddress returns the frame's address in its file; without a known file, in memory.
func elfAddress(m *mappings.Module, f stack.Frame) mappings.ELFAddr {
	if m == nil {
		return mappings.ELFAddr(f.Address())
	}
	return m.ELFAddr(mappings.RuntimeAddr(f.Address()))
}

// nowhereHeld is the file of the frames that say what holds blocks.
var nowhereHeld = &mappings.Module{Path: "[holder]"}

// nameHolders names frames that say what holds blocks. Such a frame is the root of its stack. Where a holder has a detail, the
// location has two lines, as if one were inlined in the other: viewers add up all details below the holder's name.
//
//	queue_push  queue.c:12
//	main.serve
//	global server+0x18
//	held by global server
func (r *Report) nameHolders(n *naming, numbers []int) {
	module := n.addModule(nowhereHeld)
	for _, number := range numbers {
		f := n.list[number]
		h := holders.Holder{Name: "something unknown"}
		if which := f.Address() - 1; which < uint64(len(r.Holders)) {
			h = r.Holders[which]
		}
		lines := []symbolize.Line{holderLine(heldBy(h.Name))}
		if h.Detail != "" {
			lines = []symbolize.Line{holderLine(h.Detail), lines[0]}
		}
		n.named[number] = named{frame: f, module: module, lines: n.addLines(lines)}
	}
}

func holderLine(name string) symbolize.Line { return symbolize.Line{Function: name, SystemName: name} }

func heldBy(name string) string {
	if name == holders.NotLooked {
		return name
	}
	return "held by " + name
}

// standIns counts the addresses whose function has no name, and is named after its file and start address:
// libvips.so.42+0x1a340. Ten addresses of one function are then one line in a viewer. No symbol has a plus sign and a number
// like that, and the system name, which is for symbols, stays empty. The address stays too, for a reader with the debug
// file.
type standIns struct {
	count   int
	example string
}

// line returns such a line for a result without lines whose function is known; otherwise nil.
func (s *standIns) line(m *mappings.Module, r *symbolize.Result) []symbolize.Line {
	if m == nil || len(r.Lines) > 0 || r.Start == 0 {
		return nil
	}
	s.count++
	s.example = fmt.Sprintf("%s+%#x", filepath.Base(m.Path), uint64(r.Start))
	return []symbolize.Line{{Function: s.example}}
}

func (s *standIns) sentences() []string {
	switch s.count {
	case 0:
		return nil
	case 1:
		return []string{"1 of them is named after its file and the start of its function: " + s.example}
	}
	return []string{fmt.Sprintf("%d of them are named after their file and the start of their function, such as %s",
		s.count, s.example)}
}

// unknown stands for the module of code that lies in no known file.
var unknown = &mappings.Module{Path: "[code of no known file]"}

// nowhere returns the line of code that lies in no file. It has the module's name: viewers merge frames without either with
// everything else that is unknown. No server can name such a frame, so this also applies if addresses stay bare.
func nowhere(m *mappings.Module) []symbolize.Line { return []symbolize.Line{{Function: m.Path}} }
