package dwarf

import (
	"cmp"
	"slices"
	"strings"
)

// enclosure is a namespace, class or function, and what it lies in.
type enclosure struct {
	outer  *enclosure
	name   string
	prefix string // all names from the outermost on, once they were needed
}

// scopeLimit is the longest name that is qualified.
const scopeLimit = 1 << 14

// qualify prefixes the names of functions that need it with the names of their scopes.
func (n *names) qualify() error {
	slices.SortFunc(n.unscoped, func(a, b *described) int {
		return cmp.Or(cmp.Compare(a.named.unit.start, b.named.unit.start), cmp.Compare(a.named.entry, b.named.entry))
	})
	for rest := n.unscoped; len(rest) > 0; {
		u := rest[0].named.unit
		count := 1
		for count < len(rest) && rest[count].named.unit == u {
			count++
		}
		if err := n.qualifyIn(u, rest[:count]); err != nil {
			return err
		}
		rest = rest[count:]
	}
	return nil
}

// scopeWalk goes through the entries of a unit on behalf of functions that lie in it.
type scopeWalk struct {
	*names
	unit      *unit
	cursor    *cursor
	functions []*described         // ascending, those ahead
	open      []*enclosure         // innermost last
	spaces    map[int32]*enclosure // of the spine
}

// qualifyIn goes through the entries of a unit until all functions are found, and skips entries without one of the functions
// inside.
func (n *names) qualifyIn(u *unit, functions []*described) error {
	s := &scopeWalk{names: n, unit: u, cursor: &n.cursors[secInfo], functions: functions, open: []*enclosure{nil}}
	s.spaces = map[int32]*enclosure{0: nil}
	s.cursor.open(&u.file.sections[secInfo], u.children, u.end)
	s.jump()
	var e entry
	for len(s.open) > 0 && len(s.functions) > 0 && s.cursor.offset() < u.end {
		if !e.next(s.cursor, u) {
			return errDamaged
		}
		if !n.budget.spend(e.steps()) {
			return ErrTooBig
		}
		if s.name(e.offset) && s.jump() {
			continue
		}
		if err := s.enter(&e); err != nil {
			return err
		}
	}
	return nil
}

// name names the functions up to an entry, and reports whether there were any.
func (s *scopeWalk) name(offset uint64) bool {
	found := false
	for len(s.functions) > 0 && s.functions[0].named.entry <= offset {
		if f := s.functions[0]; f.named.entry == offset {
			f.Name = s.open[len(s.open)-1].before(f.Plain)
			s.budget.spend(len(f.Name))
		}
		s.functions, found = s.functions[1:], true
	}
	return found
}

// jump goes to the spot before the next function, and reports whether that is ahead.
func (s *scopeWalk) jump() bool {
	if len(s.functions) == 0 {
		return false
	}
	near, ok := s.spine.before(s.unit, s.functions[0].named.entry)
	if !ok || near.offset < s.cursor.offset() {
		return false
	}
	s.open = append(s.open[:0], nil)
	for at := near.namespace; at != 0; at = s.spine.namespaces[at].outer {
		s.open = append(s.open, s.space(at))
	}
	slices.Reverse(s.open[1:])
	s.budget.spend(len(s.open))
	s.cursor.seek(near.offset)
	return true
}

// space returns the enclosure of a namespace of the spine.
func (s *scopeWalk) space(at int32) *enclosure {
	if known, ok := s.spaces[at]; ok {
		return known
	}
	namespace := s.spine.namespaces[at]
	around := s.space(namespace.outer)
	s.cursor.seek(namespace.entry)
	var e entry
	if e.next(s.cursor, s.unit) && e.abbrev != nil {
		around = s.enclose(s.unit, &e, around)
	}
	s.spaces[at] = around
	return around
}

// enter skips an entry, or goes into it if it has one of the functions inside.
func (s *scopeWalk) enter(e *entry) error {
	ahead := e.sibling > s.cursor.offset() && e.sibling <= s.unit.end
	switch {
	case e.abbrev == nil:
		s.open = s.open[:len(s.open)-1]
	case !e.abbrev.children:
	case ahead && (len(s.functions) == 0 || s.functions[0].named.entry >= e.sibling):
		s.cursor.seek(e.sibling)
	case len(s.open) > depthLimit:
		return errTooDeep
	default:
		s.open = append(s.open, s.enclose(s.unit, e, s.open[len(s.open)-1]))
	}
	return nil
}

// enclose returns the enclosure of an entry's children.
func (n *names) enclose(u *unit, e *entry, around *enclosure) *enclosure {
	var unnamed string
	switch e.abbrev.tag {
	case tagNamespace:
		unnamed = "(anonymous namespace)"
	case tagClassType, tagStructureType, tagUnionType:
		unnamed = "{unnamed}"
	case tagSubprogram:
	default:
		return around
	}
	name := n.plainName(reference{u, e.offset})
	if name == "" {
		name = unnamed
	}
	if name == "" {
		return around
	}
	return &enclosure{outer: around, name: name}
}

// plainName returns the name that an entry itself has.
func (n *names) plainName(p reference) string {
	n.far.open(&p.unit.file.sections[secInfo], p.entry, p.unit.end)
	a := p.unit.table.find(n.far.uleb())
	if a == nil || !n.budget.spend(len(a.attrs)) {
		return ""
	}
	for _, at := range a.attrs {
		if v := n.far.value(p.unit.encoding, at.form, at.constant); at.name == attrPlainName {
			return n.text(p.unit, v)
		}
	}
	return ""
}

// before puts the names of an enclosure before a name.
func (e *enclosure) before(name string) string {
	if e == nil {
		return name
	}
	if e.prefix == "" {
		var parts []string
		for at, size := e, 0; at != nil && size < scopeLimit; at = at.outer {
			parts = append(parts, "::", at.name)
			size += len(at.name)
		}
		slices.Reverse(parts)
		e.prefix = strings.Join(parts, "")
	}
	return e.prefix + name
}
