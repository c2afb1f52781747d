package dwarf

// Function is a function as the debug data describes it. Functions are shared and must not be changed.
type Function struct {
	Plain     string // as declared; may be "" if there is a Linkage
	Name      string // Plain, and in front of it the names around it if Scoped is set and there is no Linkage
	Linkage   string // the mangled name; "" if there is none
	StartLine int    // the line of the definition; 0 if unknown
	Scoped    bool   // the language joins names with "::"
}

// names finds out what the functions of a unit are called. An entry that has code seldom has its own name: an inlined
// call points at the function's abstract instance, that one or an out-of-line method at its declaration in the class,
// and only the enclosing entries have its class and namespaces. C++ compilers save us the latter by a mangled name, but not
// for functions local to their file: functions in anonymous namespaces, local classes and lambdas. The names around them are
// found together, in one more pass over their unit, see scopes.
type names struct {
	*reader
	spine     *spine // of the unit that was walked
	scoped    bool   // in that unit
	functions map[reference]*described
	unscoped  []*described // functions that need the names around them
}

// reference is an entry of any unit.
type reference struct {
	unit  *unit
	entry uint64
}

// described is a function with the entry that has its plain name.
type described struct {
	Function
	named reference
}

// originLimit is the longest chain of references between entries that is followed.
const originLimit = 16

func (n *names) begin(walked *unit) {
	n.scoped = walked.scoped
	if n.functions == nil {
		n.functions = make(map[reference]*described)
	}
	clear(n.functions)
	n.unscoped = n.unscoped[:0]
}

// function describes the function of an entry: its own attributes take precedence over those of the entry that it refers to.
func (n *names) function(p reference, links int) *described {
	if known, ok := n.functions[p]; ok {
		return known
	}
	if links > originLimit {
		return nil
	}
	own, origin := n.read(p)
	found := own
	if origin.unit != nil && (own == nil || own.Linkage == "" || own.StartLine == 0) {
		found = own.over(n.function(origin, links+1))
	}
	n.functions[p] = found
	if own != nil && found.Scoped && found.Linkage == "" && found.Plain != "" {
		n.unscoped = append(n.unscoped, found)
	}
	return found
}

// over fills in what is missing from the function that an entry refers to.
func (d *described) over(origin *described) *described {
	if d == nil || origin == nil {
		if d == nil {
			return origin
		}
		return d
	}
	merged := *d
	if merged.Plain == "" {
		merged.Plain, merged.named, merged.Scoped = origin.Plain, origin.named, origin.Scoped
		merged.Name = merged.Plain
	}
	if merged.Linkage == "" {
		merged.Linkage = origin.Linkage
	}
	if merged.StartLine == 0 {
		merged.StartLine = origin.StartLine
	}
	return &merged
}

// read reads an entry's own attributes of its function, nil if there are none, and the entry it refers to.
func (n *names) read(p reference) (own *described, origin reference) {
	c := n.entryCursor(p)
	a := p.unit.table.find(c.uleb())
	if a == nil {
		return nil, origin
	}
	var plain, linkage, abstract, specification value
	var line uint64
	for i := range a.attrs {
		v := c.value(p.unit.encoding, a.attrs[i].form, a.attrs[i].constant)
		switch a.attrs[i].name {
		case attrPlainName:
			plain = v
		case attrLinkageName, attrMIPSLinkageName:
			linkage = v
		case attrDeclLine:
			line = number(v.number)
		case attrAbstractOrigin:
			abstract = v
		case attrSpecification:
			specification = v
		}
	}
	if n.budget.spend(len(a.attrs)); c.short {
		return nil, origin
	}
	if !abstract.present() {
		abstract = specification
	}
	if plain.present() || linkage.present() || line != 0 {
		own = &described{named: p, Function: Function{StartLine: int(line), Scoped: n.isScoped(p.unit)}}
		if own.Linkage = n.text(p.unit, linkage); own.Linkage == "" {
			own.Plain = n.text(p.unit, plain)
		}
		own.Name = own.Plain
	}
	return own, n.follow(p.unit, abstract)
}

// isScoped reports whether the language of a unit joins names with "::". The partial units that dwz makes have no language:
// they are parts of those that refer to them.
func (n *names) isScoped(u *unit) bool {
	return u.scoped || u.tag == tagPartialUnit && n.scoped
}

// entryCursor stands at an entry. The walk's window serves if it holds the whole unit.
func (n *names) entryCursor(p reference) *cursor {
	section := &p.unit.file.sections[secInfo]
	c := &n.cursors[secInfo]
	if c.section != section || c.limit != p.unit.end || p.unit.end-p.unit.start > unitWindow {
		c = &n.far
	}
	c.open(section, p.entry, p.unit.end)
	return c
}

// follow returns the entry that a value refers to, one without a unit if there is none.
func (n *names) follow(u *unit, v value) reference {
	if entry, ok := u.reference(v); ok {
		return reference{u, entry}
	}
	f := u.file
	switch v.form {
	case formRefAddr:
	case formGNURefAlt, formRefSup4, formRefSup8:
		f = f.other()
	default:
		return reference{}
	}
	if f == nil {
		return reference{}
	}
	h := f.unitAt(v.number)
	if h == nil {
		return reference{}
	}
	if h == u.header {
		return reference{u, v.number}
	}
	if other := n.unit(f, h); other != nil {
		return reference{other, v.number}
	}
	return reference{}
}
