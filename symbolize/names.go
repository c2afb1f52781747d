package symbolize

import (
	"runtime"
	"strings"
	"sync"

	"github.com/cgoheap/cgoheap/internal/dwarf"
)

// names is what the functions of a batch are called, by their mangled names. Demangling takes longer than finding them,
// and the same functions are inlined all over a program, so each is demangled once, and several at a time.
type names struct {
	style    Style
	readable map[string]string
}

// demanglers is how many goroutines demangle at once.
func demanglers() int { return min(runtime.GOMAXPROCS(0), 4) }

func readNames(answers []dwarf.Answer, style Style) names {
	n := names{style: style, readable: make(map[string]string)}
	var mangled []string
	for i := range answers {
		for _, frame := range answers[i].Frames {
			if f := frame.Function; f != nil && f.Linkage != "" {
				if _, ok := n.readable[f.Linkage]; !ok {
					n.readable[f.Linkage] = ""
					mangled = append(mangled, f.Linkage)
				}
			}
		}
	}
	for i, readable := range style.allReadable(mangled) {
		n.readable[mangled[i]] = readable
	}
	return n
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
				readable[i] = s.readable(mangled[i])
			}
		}()
	}
	group.Wait()
	return readable
}

// of is what a function is called for a person and for the linker. A function without a mangled name has the same for
// the linker as its file gave it.
func (n *names) of(f *dwarf.Function) (function, systemName string) {
	if f.Linkage != "" {
		return n.readable[f.Linkage], f.Linkage
	}
	return f.Name, f.Plain
}

// askSymbol takes the name of a function that has only a plain one from the symbol that covers it, if they agree.
func (o *object) askSymbol(line *Line, f *dwarf.Function, address uint64, style Style) {
	symbol := o.symbols.covering(address)
	if symbol == nil {
		return
	}
	mangled, _, _ := strings.Cut(symbol.name, ".") // without .cold, .part.0 and the like
	readable := style.readable(mangled)
	if readable != mangled && strings.Contains(readable, f.Plain) {
		line.Function, line.SystemName = readable, mangled
	}
}
