package dwarf

// leftOut is the lists of children that a walk has passed over, by where they begin. What is looked for there is mostly
// a lambda or a method of a local class: they lie in a class in a function.
type leftOut struct {
	near    []uint64 // in functions that cover wants: of classes
	calls   []uint64 // of other functions, and of inlined calls
	far     []uint64 // outside of functions: of classes
	tooMany bool     // not all were noted
}

// leftLimit is how many lists of a unit are noted. In one with more everything is looked through. Tests change it.
var leftLimit = 1 << 18

func (l *leftOut) clear() { *l = leftOut{near: l.near[:0], calls: l.calls[:0], far: l.far[:0]} }

// note notes the children of an entry that lies in that many inlined calls.
func (l *leftOut) note(t tag, depth int, children uint64) {
	switch {
	case t.holdsNoCode():
	case len(l.near)+len(l.calls)+len(l.far) >= leftLimit:
		l.tooMany = true
	case t == tagSubprogram || t == tagInlinedSubroutine:
		l.calls = append(l.calls, children)
	case depth > 0:
		l.near = append(l.near, children)
	default:
		l.far = append(l.far, children)
	}
}

// findLeftOut looks in all that the walk passed over for the functions of the wants that still have none. Nothing else
// can change: of the functions at an address the first one found counts.
func (w *walk) findLeftOut() error {
	all := w.wants
	w.wants = w.without(all)
	w.thorough = true
	err := w.runLeftOut()
	found := w.wants
	w.wants = all
	for i := range all {
		if all[i].calls == nil {
			all[i], found = found[0], found[1:]
		}
	}
	return err
}

// without returns a copy of the wants that have no function.
func (w *walk) without(wants []want) []want {
	open := make([]want, 0, w.pending)
	for i := range wants {
		if wants[i].calls == nil {
			open = append(open, wants[i])
		}
	}
	return open
}

func (w *walk) runLeftOut() error {
	if w.left.tooMany {
		return w.run(w.unit.children)
	}
	for _, lists := range [][]uint64{w.left.near, w.left.calls, w.left.far} {
		for _, children := range lists {
			if err := w.run(children); err != nil || w.pending == 0 {
				return err
			}
		}
	}
	return nil
}
