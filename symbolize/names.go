package symbolize

import (
	"runtime"
	"strings"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/dwarf"
)

// names has the readable names of the functions of a batch, by their mangled names. Demangling takes longer than finding
// them, and the same functions are inlined all over a program, so each name is demangled once, and several in parallel.
type names struct {
	style    Style
	mangled  []string
	readable map[string]string
	bare     map[string]string // names of local symbols without parameters, where readable has those with them
	plain    map[*dwarf.Function]plainName
	store    *store
	stored   map[string]string // what is in the store
	frames   []Line            // of the address at hand
}

// plainName is the readable name of a function that has no mangled one, and that name without template arguments.
type plainName struct{ readable, short string }

// demanglers returns how many goroutines demangle at once.
func demanglers() int { return min(runtime.GOMAXPROCS(0), 4) }

// need adds a mangled name to demangle.
func (n *names) need(mangled string) {
	if _, ok := n.readable[mangled]; !ok && mangled != "" {
		n.readable[mangled] = ""
		n.mangled = append(n.mangled, mangled)
	}
}

func newNames(style Style, store *store) *names {
	return &names{
		style: style, store: store, stored: make(map[string]string),
		readable: make(map[string]string), bare: make(map[string]string), plain: make(map[*dwarf.Function]plainName),
	}
}

// needLocal adds the mangled name of a local symbol, to be compared with a plain name.
func (n *names) needLocal(mangled string) {
	n.need(mangled)
	if n.style != Templates && n.style != Short {
		n.bare[mangled] = ""
	}
}

// demangle demangles all names that were added.
func (n *names) demangle() {
	readable, bare := make([]string, len(n.mangled)), make([]string, len(n.mangled))
	inParallel(len(n.mangled), func(i int) {
		if _, local := n.bare[n.mangled[i]]; local {
			readable[i], bare[i] = n.style.bothOrNot(n.mangled[i])
		} else {
			readable[i] = n.style.readableOrNot(n.mangled[i])
		}
	})
	for i, mangled := range n.mangled {
		n.readable[mangled] = readable[i]
		if _, local := n.bare[mangled]; local {
			n.bare[mangled] = bare[i]
		}
	}
}

// keep returns a copy of lines, with their names, in the store; nil if there are none. Many lines have the same names.
func (n *names) keep(lines []Line) []Line {
	if len(lines) == 0 {
		return nil
	}
	for i := range lines {
		l := &lines[i]
		l.Function, l.SystemName, l.File = n.storeName(l.Function), n.storeName(l.SystemName), n.storeName(l.File)
	}
	return n.store.keep(lines...)
}

func (n *names) storeName(name string) string {
	if kept, ok := n.stored[name]; ok {
		return kept
	}
	kept := n.store.name(name)
	n.stored[kept] = kept
	return kept
}

// inParallel calls do for all numbers below count, from several goroutines. A panic of do is the caller's.
func inParallel(count int, do func(int)) {
	var parts []func()
	share := count/demanglers() + 1
	for first := 0; first < count; first += share {
		last := min(first+share, count)
		parts = append(parts, func() {
			for i := first; i < last; i++ {
				do(i)
			}
		})
	}
	background.Apart("naming", parts...)
}

// readableOrNot returns the mangled name if it makes the demangler panic.
func (s Style) readableOrNot(mangled string) (readable string) {
	if background.Guard("a demangler", func() { readable = demangler(s, mangled) }) != nil {
		return mangled
	}
	return readable
}

// bothOrNot is readableOrNot in two styles, the second of which is Short.
func (s Style) bothOrNot(mangled string) (readable, bare string) {
	if background.Guard("a demangler", func() { readable, bare = s.readableAndBare(mangled) }) != nil {
		return mangled, mangled
	}
	return readable, bare
}

// demangler demangles a name. A test replaces it by one that panics.
var demangler = Style.readable

// of returns the readable name and the linker's name of a function. The linker does not know a function without a mangled
// name. For such a C++ function, systemName is the plain name without template arguments, because pprof would try to shorten
// a name that equals it.
func (n *names) of(f *dwarf.Function) (function, systemName string) {
	switch {
	case f.Linkage != "":
		return n.readable[f.Linkage], f.Linkage
	case f.Scoped:
		name, known := n.plain[f]
		if !known {
			name = plainName{n.style.plain(f.Name), withoutArguments(f.Plain)}
			n.plain[f] = name
		}
		return name.readable, name.short
	}
	return f.Name, f.Plain
}

// localSymbol returns the mangled name of the symbol that covers an address, if the function there has only a plain name
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

// takeSymbol sets the name of a function to the name of the symbol that covers it, if they agree.
func (n *names) takeSymbol(line *Line, f *dwarf.Function, mangled string) {
	bare, ok := n.bare[mangled]
	if !ok {
		bare = n.readable[mangled]
	}
	if bare != mangled && baseName(bare) == baseName(f.Plain) {
		line.Function, line.SystemName = n.readable[mangled], mangled
	}
}
