package dwarf

import (
	"cmp"
	"slices"
	"strings"
)

// enclosure is a namespace, class or function, and what it lies in.
type enclosure struct {
	outer *enclosure
	name  string
}

// scopeLimit is the longest name that others are put in front of.
const scopeLimit = 1 << 14

// qualify puts the names around the functions that need it in front of theirs.
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

// qualifyIn goes through the entries of a unit as far as needed, past all that have none of the functions inside.
func (n *names) qualifyIn(u *unit, functions []*described) error {
	c := &n.cursors[secInfo]
	c.open(&u.file.sections[secInfo], u.children, u.end)
	open := []*enclosure{nil}
	var e entry
	for len(open) > 0 && len(functions) > 0 && c.offset() < u.end {
		if !e.next(c, u) {
			return errDamaged
		}
		if !n.budget.spend(1) {
			return ErrTooBig
		}
		around := open[len(open)-1]
		for len(functions) > 0 && functions[0].named.entry <= e.offset {
			if functions[0].named.entry == e.offset {
				functions[0].Name = around.before(functions[0].Plain)
				n.budget.spend(len(functions[0].Name))
			}
			functions = functions[1:]
		}
		switch {
		case e.abbrev == nil:
			open = open[:len(open)-1]
		case !e.abbrev.children:
		case e.sibling > c.offset() && e.sibling <= u.end && (len(functions) == 0 || functions[0].named.entry >= e.sibling):
			c.seek(e.sibling)
		case len(open) > depthLimit:
			return errTooDeep
		default:
			open = append(open, n.enclose(u, &e, around))
		}
	}
	return nil
}

// enclose is the enclosure of an entry's children.
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
	return &enclosure{around, name}
}

// plainName is the name that an entry itself has.
func (n *names) plainName(p reference) string {
	n.far.open(&p.unit.file.sections[secInfo], p.entry, p.unit.end)
	a := p.unit.table.find(n.far.uleb())
	if a == nil {
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
	parts := []string{name}
	for size := len(name); e != nil && size < scopeLimit; e = e.outer {
		parts = append(parts, e.name)
		size += len(e.name)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "::")
}
