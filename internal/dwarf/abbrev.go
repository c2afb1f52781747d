package dwarf

import "math"

// abbrev is what the entries of one abbreviation code have in common (7.5.3).
type abbrev struct {
	tag      tag
	children bool
	hasCode  bool   // a function or an inlined call with attributes that say where its code lies
	attrs    []attr // only of entries that have names, see tag.isNamed
	plan     []op
}

type attr struct {
	name     attrName
	form     form
	constant int64 // of formImplicitConst
}

// op is a step in reading an entry for the walk: skip some bytes of values that nobody needs, then take or skip one
// value whose size varies. Most entries are read in one or two steps, however many attributes they have.
type op struct {
	skip uint32
	size int16 // of the value, as from encoding.size
	attr attr  // form 0: no value, the entry ends here
	take bool
}

// abbrevTable is the abbreviations of a unit. Compilers number them from 1; others are found too.
type abbrevTable struct {
	encoding
	key      abbrevKey
	whole    bool
	numbered []abbrev
	others   map[uint64]*abbrev
	attrs    []attr // of all
	ops      []op
}

// abbrevKey identifies a table. Several units can share one.
type abbrevKey struct {
	file   *file
	offset uint64
	encoding
}

func (t *abbrevTable) find(code uint64) *abbrev {
	if code-1 < uint64(len(t.numbered)) {
		return &t.numbered[code-1]
	}
	return t.others[code]
}

// An entry with more attributes than this, or a table with more of everything, is rejected. Compilers give an entry some
// twenty and a table some thousand.
const (
	entryAttributes = 1 << 8
	tableLimit      = 1 << 18
)

// abbrevSteps is what an abbreviation costs, besides its attributes.
const abbrevSteps = 1 << 2

// read reads one abbreviation; code 0 ends the table. What the abbreviations have goes into slices that they share: a
// file has thousands of them.
func (t *abbrevTable) read(c *cursor) (code uint64, a abbrev) {
	if code = c.uleb(); code == 0 {
		return 0, a
	}
	a.tag = tag(min(c.uleb(), math.MaxUint16))
	a.children = c.u8() != 0
	first, firstOp := len(t.attrs), len(t.ops)
	c.budget.spend(abbrevSteps)
	for {
		name, f := c.uleb(), c.uleb()
		next := attr{name: attrName(min(name, math.MaxUint16)), form: form(min(f, math.MaxUint16))}
		if next.form == formImplicitConst {
			next.constant = c.sleb()
		}
		if name|f == 0 || c.short {
			break
		}
		c.budget.spend(1)
		if t.attrs = append(t.attrs, next); len(t.attrs)-first > entryAttributes {
			c.fail()
		}
	}
	t.plan(&a, t.attrs[first:])
	a.plan = t.ops[firstOp:len(t.ops):len(t.ops)]
	if a.attrs = t.attrs[first:len(t.attrs):len(t.attrs)]; !a.tag.isNamed() {
		a.attrs, t.attrs = nil, t.attrs[:first]
	}
	return code, a
}

// plan prepares how the walk reads entries with the attributes.
func (t *abbrevTable) plan(a *abbrev, attrs []attr) {
	calls := a.tag == tagSubprogram || a.tag == tagInlinedSubroutine
	var skip uint32
	for i := range attrs {
		at := &attrs[i]
		take := at.name == attrSibling || calls && at.name.isOfCalls()
		a.hasCode = a.hasCode || calls && (at.name == attrLowPC || at.name == attrRanges)
		size := t.size(at.form)
		if size >= 0 && !take {
			skip += uint32(size)
			continue
		}
		t.ops = append(t.ops, op{skip: skip, size: int16(size), attr: *at, take: take || size == sizeNamed})
		skip = 0
	}
	if skip > 0 {
		t.ops = append(t.ops, op{skip: skip})
	}
}

// readTable replaces t by the abbreviation table of a unit; it returns false if that cannot be read.
func (t *abbrevTable) readTable(c *cursor, key abbrevKey) bool {
	if t.key == key && t.whole {
		return true
	}
	t.begin(key)
	for len(t.attrs)+len(t.ops)+len(t.numbered)+len(t.others) < tableLimit {
		code, a := t.read(c)
		if code == 0 || c.short {
			t.whole = !c.short
			break
		}
		t.add(code, a)
	}
	return t.whole
}

// begin empties the table and keeps its memory.
func (t *abbrevTable) begin(key abbrevKey) {
	*t = abbrevTable{key: key, encoding: key.encoding, numbered: t.numbered[:0], attrs: t.attrs[:0], ops: t.ops[:0]}
}

func (t *abbrevTable) add(code uint64, a abbrev) {
	if code == uint64(len(t.numbered))+1 {
		t.numbered = append(t.numbered, a)
		return
	}
	if t.others == nil {
		t.others = make(map[uint64]*abbrev)
	}
	if t.others[code] == nil {
		t.others[code] = &a
	}
}
