package symbolize

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/errand"
)

// names is what the functions of a batch are called, by their mangled names. Demangling takes longer than finding them,
// and the same functions are inlined all over a program, so each is demangled once, and several at a time.
type names struct {
	style    Style
	mangled  []string
	readable map[string]string
	bare     map[string]string // names of local symbols without parameters, where readable has those with them
}

// demanglers is how many goroutines demangle at once.
func demanglers() int { return min(runtime.GOMAXPROCS(0), 4) }

// need notes a mangled name.
func (n *names) need(mangled string) {
	if _, ok := n.readable[mangled]; !ok && mangled != "" {
		n.readable[mangled] = ""
		n.mangled = append(n.mangled, mangled)
	}
}

func newNames(style Style) *names {
	return &names{style: style, readable: make(map[string]string), bare: make(map[string]string)}
}

// needLocal notes the mangled name of a local symbol, which is to be compared with a plain name.
func (n *names) needLocal(mangled string) {
	n.need(mangled)
	if n.style != Templates && n.style != Short {
		n.bare[mangled] = ""
	}
}

// demangle makes all names readable that are needed.
func (n *names) demangle() {
	for i, readable := range n.style.allReadable(n.mangled) {
		n.readable[n.mangled[i]] = readable
	}
	locals := slices.Collect(maps.Keys(n.bare))
	for i, bare := range Short.allReadable(locals) {
		n.bare[locals[i]] = bare
	}
}

// allReadable demangles each of the names.
func (s Style) allReadable(mangled []string) []string {
	readable := make([]string, len(mangled))
	var group sync.WaitGroup
	share := len(mangled)/demanglers() + 1
	for first := 0; first < len(mangled); first += share {
		last := min(first+share, len(mangled))
		group.Add(1)
		go func() {
			defer group.Done()
			for i := first; i < last; i++ {
				readable[i] = s.readableOrNot(mangled[i])
			}
		}()
	}
	group.Wait()
	return readable
}

// readableOrNot is the name as it is if it makes the demangler panic.
func (s Style) readableOrNot(mangled string) (readable string) {
	if errand.Guard("a demangler", func() { readable = demangler(s, mangled) }) != nil {
		return mangled
	}
	return readable
}

// demangler makes a name readable. A test puts one in its place that panics.
var demangler = Style.readable

// of is what a function is called for a person and for the linker. The linker does not know a function without a mangled
// name. If that is one of C++, SystemName is without template arguments: pprof takes a Function that equals it for one
// that is still to be shortened.
func (n *names) of(f *dwarf.Function) (function, systemName string) {
	switch {
	case f.Linkage != "":
		return n.readable[f.Linkage], f.Linkage
	case f.Scoped:
		return n.style.plain(f.Name), withoutArguments(f.Plain)
	}
	return f.Name, f.Plain
}

// localSymbol is the mangled name of the symbol that covers an address, if the function there has only a plain name
// although its language mangles names.
func (o *object) localSymbol(address uint64, frames []dwarf.Frame) string {
	if len(frames) == 0 {
		return ""
	}
	f := frames[len(frames)-1].Function
	if f == nil || !f.Scoped || f.Linkage != "" {
		return ""
	}
	symbol := o.symbolTable().covering(address)
	if symbol == nil {
		return ""
	}
	mangled, _, _ := strings.Cut(symbol.name, ".") // without .cold, .part.0 and the like
	return mangled
}

// takeSymbol gives a function the name of the symbol that covers it, if they agree.
func (n *names) takeSymbol(line *Line, f *dwarf.Function, mangled string) {
	bare, ok := n.bare[mangled]
	if !ok {
		bare = n.readable[mangled]
	}
	if bare != mangled && baseName(bare) == baseName(f.Plain) {
		line.Function, line.SystemName = n.readable[mangled], mangled
	}
}
