package holders

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/guilty"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// mostFrames is how many frames of a stack are looked at, from the leaf on, for one that says who allocated.
const mostFrames = 32

// nameStacks names the recorded blocks that hold others, by their stacks.
func (n *namer) nameStacks(b *Blocks) {
	list := slices.Sorted(maps.Keys(n.stacks))
	stacks := make([][]stack.Frame, len(list))
	for i, number := range list {
		frames := b.Frames(number)
		stacks[i] = slices.Clone(frames[:min(len(frames), mostFrames)])
	}
	results := n.resolve(stacks)
	for i, frames := range stacks {
		lines := n.lines(frames, results)
		h := Holder{Name: "a block of unknown origin"}
		if name := telling(lines); name != "" {
			h.Name = "a block allocated in " + name
		}
		n.stacks[list[i]] = n.number(h)
		if pool := guilty.Pool(lines, max(0, guilty.Innermost(lines)), func(l *guilty.Line) guilty.Line { return *l }); pool != "" {
			n.pools[list[i]] = clean(pool)
		}
	}
}

// mappers returns the functions that mapped what the words lie in, by the index of the recorded mapping.
func (n *namer) mappers(words []word) map[int32]string {
	found := make(map[int32]string)
	for _, w := range words {
		if p := n.places.mapped.at(w.at); p != nil && n.Mapped[p.which].Kind == account.Program {
			found[p.which] = ""
		}
	}
	which := slices.Sorted(maps.Keys(found))
	stacks := make([][]stack.Frame, len(which))
	for i, w := range which {
		frames := n.Mapped[w].Frames
		stacks[i] = frames[:min(len(frames), mostFrames)]
	}
	for i, name := range n.functions(stacks) {
		found[which[i]] = name
	}
	return found
}

// nameEntries names the stacks of goroutines by their first functions.
func (n *namer) nameEntries(b *Blocks) {
	queued := false
	for i := 0; i < b.Count && !queued; i++ {
		queued = b.Found(i).Root == GoOther
	}
	var waiting []Waiting
	if (queued || len(n.entries) > 0) && n.Waiting != nil {
		waiting = n.Waiting(n.memory)
	}
	n.ending = ending(waiting)
	for _, entry := range slices.Sorted(maps.Keys(n.entries)) {
		h := Holder{Name: "stack of a goroutine"}
		if name := n.functionAt(entry); name != "" {
			h.Name, h.Note = "stack of "+goroutineOf(name), ofCrowd(waiting, entry, len(n.holding[entry]))
		}
		n.entries[entry] = n.number(h)
	}
}

// nameEnds names finalizers and cleanups by their functions.
func (n *namer) nameEnds() {
	for function := range n.ends {
		name := "a finalizer or cleanup"
		if known := n.functionAt(function); known != "" {
			name = "finalizer or cleanup " + known
		}
		n.ends[function] = name
	}
}

// functionAt names the function that begins at an address; "" if it has no name.
func (n *namer) functionAt(entry uint64) string {
	at := slices.IndexFunc(n.Modules, func(m *mappings.Module) bool { return m.Holds(mappings.RuntimeAddr(entry)) })
	if at < 0 {
		return ""
	}
	m := n.Modules[at]
	result := n.Names.Resolve(m, []mappings.ELFAddr{m.ELFAddr(mappings.RuntimeAddr(entry))})[0]
	return n.outermost(m, &result)
}

// leastCrowd is how many goroutines that hold blocks are worth a word: more than a pool of workers has.
const leastCrowd = 100

// ofCrowd says how many goroutines of a function hold blocks, if they are many, and where most of that function are.
func ofCrowd(waiting []Waiting, entry uint64, holding int) string {
	if holding < leastCrowd {
		return ""
	}
	var most Waiting
	all := 0
	for _, w := range waiting {
		if !w.begins(entry) {
			continue
		}
		if all += w.Number; w.Number > most.Number {
			most = w
		}
	}
	text := fmt.Sprintf("one of %d that hold recorded blocks", holding)
	if 2*most.Number > all {
		text += ", and most like it are in " + clean(most.Place)
	}
	return text
}

// ending says where finalizers and cleanups are that run now. Others wait for them; "" if none runs.
func ending(waiting []Waiting) string {
	number, place := 0, ""
	for _, w := range waiting {
		if w.Ends {
			number += w.Number
			place = max(place, w.Place)
		}
	}
	if number == 0 {
		return ""
	}
	return fmt.Sprintf("with %d running in %s", number, clean(place))
}

// goroutineOf names a goroutine by its first function. Of a go statement with arguments, that is a function which the compiler made
// for it in the function that has the statement.
func goroutineOf(name string) string {
	if at := strings.LastIndex(name, ".gowrap"); at > 0 {
		return "a goroutine begun in " + name[:at]
	}
	return "goroutine " + name
}

func (n *namer) outermost(m *mappings.Module, r *symbolize.Result) string {
	if len(r.Lines) > 0 {
		return clean(r.Lines[len(r.Lines)-1].Function)
	}
	return standIn(m, r)
}

// standIn is what a function without a name is called.
func standIn(m *mappings.Module, r *symbolize.Result) string {
	if m == nil || r.Start == 0 {
		return ""
	}
	return clean(fmt.Sprintf("%s+%#x", filepath.Base(m.Path), uint64(r.Start)))
}

// functions returns the function of each stack that says who allocated; "" if nothing is known.
func (n *namer) functions(stacks [][]stack.Frame) []string {
	results := n.resolve(stacks)
	names := make([]string, len(stacks))
	for i, frames := range stacks {
		names[i] = telling(n.lines(frames, results))
	}
	return names
}

// resolve looks up all frames, file by file.
func (n *namer) resolve(stacks [][]stack.Frame) map[stack.Frame]symbolize.Result {
	results, byModule := make(map[stack.Frame]symbolize.Result), make(map[stack.ModuleID][]stack.Frame)
	for _, frames := range stacks {
		for _, f := range frames {
			if _, known := results[f]; !known {
				results[f] = symbolize.Result{}
				byModule[f.Module()] = append(byModule[f.Module()], f)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byModule)) {
		m, frames := n.Module(id), byModule[id]
		addresses := make([]mappings.ELFAddr, len(frames))
		for i, f := range frames {
			if addresses[i] = mappings.ELFAddr(f.Address()); m != nil {
				addresses[i] = m.ELFAddr(mappings.RuntimeAddr(f.Address()))
			}
		}
		for i, r := range n.Names.Resolve(m, addresses) {
			results[frames[i]] = r
		}
	}
	return results
}

// telling returns the function of a stack that says who allocated; if there is none, the innermost.
func telling(lines []guilty.Line) string {
	if len(lines) == 0 {
		return ""
	}
	return clean(lines[max(0, guilty.Innermost(lines))].Function)
}

// lines returns the functions of a stack that have names, from the innermost on that is no entry of an allocator.
func (n *namer) lines(frames []stack.Frame, results map[stack.Frame]symbolize.Result) (named []guilty.Line) {
	leaf := true
	for _, f := range frames {
		r, m := results[f], n.Module(f.Module())
		t := n.Names.Tidy(r.Lines)
		lines := t.Lines
		if t.Hidden {
			continue
		}
		if leaf {
			lines = lines[t.Entries:]
			leaf = len(lines) == 0 && len(r.Lines) > 0
		}
		if len(r.Lines) == 0 {
			lines = []symbolize.Line{{Function: standIn(m, &r)}}
		}
		for _, l := range lines {
			if l.Function != "" {
				named = append(named, guilty.Line{Function: l.Function, File: l.File})
			}
		}
	}
	return named
}
