package dwarf

import (
	"errors"
	"math"
)

// want is an address that is looked for in one unit, and what has been found for it there: a chain of calls from the
// function that holds the address to the innermost inlined one, and the row of the line table.
type want struct {
	address uint64
	index   int32 // in the batch
	hasRow  bool
	row     row
	calls   []call
}

// call is a function in a want's chain: the one that holds the address, or one that was inlined there.
type call struct {
	entry uint64 // of the function, or of the inlined call
	from  row    // where it was called; the zero row for a function
}

// stretch is a part of the wants, by index: first up to last.
type stretch struct{ first, last int32 }

// The deepest nesting of entries and of inlined calls that is believed.
const (
	depthLimit  = 1 << 12
	inlineLimit = 1 << 8
)

var errTooDeep = errors.New("dwarf: debug entries nest too deeply")

// walk goes through the entries of a unit on behalf of the addresses that its ranges cover. It goes only where compilers
// put code that nothing around it covers, into namespaces, and leaves out classes and the functions that cover no want;
// should that leave wants without a function, what was left out is looked through, see thorough.go.
type walk struct {
	*reader
	unit     *unit
	cursor   *cursor
	wants    []want // ascending by address
	pending  int    // how many of them have no function yet
	isCode   func(uint64) bool
	thorough bool
	left     leftOut
	spine    spine
	scopes   []scope
	parts    []stretch // of all open scopes, see scope
}

// scope is the part of an open entry that its children need.
type scope struct {
	function    uint64 // the subprogram around; 0 outside
	depth       int    // calls in the chain of an address in this scope: 0 outside functions
	first, last int    // the wants in the innermost function or inlined call: these of the walk's parts
	kept        int    // the parts of scopes outside of this one
	namespace   int32  // of the walk's spine
}

// findCalls lets each of the wants collect the calls that it lies in.
func (w *walk) findCalls() error {
	if !w.unit.hasChildren {
		return nil
	}
	w.cursor = &w.cursors[secInfo]
	w.cursor.open(&w.unit.file.sections[secInfo], w.unit.children, w.unit.end)
	w.pending, w.thorough = len(w.wants), false
	w.left.clear()
	w.spine.begin(w.unit)
	if err := w.run(w.unit.children); err != nil || w.pending == 0 {
		return err
	}
	return w.findLeftOut()
}

// run goes through a list of entries that begins at an offset, as long as there are wants without a function.
func (w *walk) run(children uint64) error {
	w.cursor.seek(children)
	w.scopes, w.parts = append(w.scopes[:0], scope{}), w.parts[:0]
	var e entry
	for len(w.scopes) > 0 && w.cursor.offset() < w.unit.end {
		if !e.next(w.cursor, w.unit) {
			return errDamaged
		}
		if e.abbrev == nil {
			w.leave()
			if w.done() {
				return nil
			}
			continue
		}
		if !w.budget.spend(e.steps()) {
			return ErrTooBig
		}
		if err := w.enter(&e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) leave() {
	last := len(w.scopes) - 1
	w.parts = w.parts[:w.scopes[last].kept]
	w.scopes = w.scopes[:last]
}

// done reports whether all wants have their calls: the function around them has ended.
func (w *walk) done() bool {
	return w.pending == 0 && len(w.scopes) > 0 && w.scopes[len(w.scopes)-1].depth == 0
}

// enter looks at an entry and goes to the next one of interest: its first child, or what follows its children.
func (w *walk) enter(e *entry) error {
	inner := w.scopes[len(w.scopes)-1]
	inner.kept = len(w.parts)
	if inner.depth == 0 && !w.thorough {
		w.spine.pass(e.offset, inner.namespace)
	}
	var err error
	descend := w.thorough
	switch tag := e.abbrev.tag; {
	case tag == tagNamespace || tag == tagModule:
		if descend = true; e.abbrev.children && inner.depth == 0 && !w.thorough {
			inner.namespace = w.spine.open(e.offset, inner.namespace)
		}
	case tag.isBlock():
		descend = descend || inner.depth > 0
	case tag == tagSubprogram && (e.abbrev.hasCode || w.thorough):
		err = w.enterFunction(e, &inner)
		descend = descend || inner.first < inner.last
	case tag == tagInlinedSubroutine:
		err = w.enterInlined(e, &inner)
		descend = descend || inner.first < inner.last
	}
	switch {
	case err != nil:
		return err
	case descend && e.abbrev.children && len(w.scopes) > depthLimit:
		return errTooDeep
	case descend && e.abbrev.children:
		w.scopes = append(w.scopes, inner)
		return nil
	}
	w.parts = w.parts[:inner.kept]
	if e.abbrev.children {
		w.left.note(e.abbrev.tag, inner.depth, w.cursor.offset())
		return w.skipChildren(e)
	}
	return nil
}

// enterFunction begins the chains of the wants in a function. A function can lie inside another one's entry, but not in
// its code, so it is looked for among the whole unit's wants. Of two functions at one address the first counts.
func (w *walk) enterFunction(e *entry, inner *scope) error {
	inner.function, inner.depth = e.offset, 1
	inner.first = len(w.parts)
	err := w.cover(e, stretch{0, int32(len(w.wants))})
	inner.last = len(w.parts)
	for _, part := range w.parts[inner.first:] {
		for i := part.first; i < part.last; i++ {
			if wanted := &w.wants[i]; wanted.calls == nil {
				wanted.calls = append(wanted.calls, call{entry: e.offset})
				w.pending--
			}
		}
	}
	return err
}

// enterInlined lengthens the chains of the wants in an inlined call by it.
func (w *walk) enterInlined(e *entry, inner *scope) error {
	outer := *inner
	inner.first, inner.last = len(w.parts), len(w.parts)
	if inner.depth++; outer.depth == 0 || outer.depth > inlineLimit {
		return nil
	}
	for i := outer.first; i < outer.last; i++ {
		if err := w.cover(e, w.parts[i]); err != nil {
			return err
		}
	}
	inner.last = len(w.parts)
	from := row{file: e.callFile, line: number(e.callLine), column: number(e.callColumn)}
	for _, part := range w.parts[inner.first:] {
		for i := part.first; i < part.last; i++ {
			wanted := &w.wants[i]
			if len(wanted.calls) == outer.depth && wanted.calls[0].entry == outer.function {
				wanted.calls = append(wanted.calls, call{entry: e.offset, from: from})
			}
		}
	}
	return nil
}

// number returns a count in the source, 0 if it is absurd.
func number(n uint64) uint64 {
	if n > math.MaxInt32 {
		return 0
	}
	return n
}
