package dwarf

import (
	"math"
	"sync"
)

// abbrev is what the entries of one abbreviation code have in common (7.5.3).
type abbrev struct {
	tag      tag
	children bool
	hasCode  bool // a function or an inlined call with attributes that say where its code lies
	attrs    []attr
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
	numbered []abbrev
	others   map[uint64]*abbrev
}

func (t *abbrevTable) find(code uint64) *abbrev {
	if code-1 < uint64(len(t.numbered)) {
		return &t.numbered[code-1]
	}
	return t.others[code]
}

// A table with more attributes than this, or an entry with more of them, is not believed. Compilers give an entry some
// twenty and a table some thousand.
const (
	entryAttributes = 1 << 8
	tableAttributes = 1 << 18
)

// readAbbrev reads one abbreviation; code 0 ends the table.
func readAbbrev(c *cursor, e encoding) (code uint64, a abbrev) {
	if code = c.uleb(); code == 0 {
		return 0, a
	}
	a.tag = tag(min(c.uleb(), math.MaxUint16))
	a.children = c.u8() != 0
	for {
		name, f := c.uleb(), c.uleb()
		next := attr{name: attrName(min(name, math.MaxUint16)), form: form(min(f, math.MaxUint16))}
		if next.form == formImplicitConst {
			next.constant = c.sleb()
		}
		if name|f == 0 || c.short {
			break
		}
		if a.attrs = append(a.attrs, next); len(a.attrs) > entryAttributes {
			c.fail()
		}
	}
	a.makePlan(e)
	return code, a
}

// makePlan works out how the walk reads the entries.
func (a *abbrev) makePlan(e encoding) {
	calls := a.tag == tagSubprogram || a.tag == tagInlinedSubroutine
	var skip uint32
	for _, at := range a.attrs {
		take := at.name == attrSibling || calls && at.name.isOfCalls()
		a.hasCode = a.hasCode || calls && (at.name == attrLowPC || at.name == attrRanges)
		size := e.size(at.form)
		if size >= 0 && !take {
			skip += uint32(size)
			continue
		}
		a.plan = append(a.plan, op{skip: skip, size: int16(size), attr: at, take: take || size == sizeNamed})
		skip = 0
	}
	if skip > 0 {
		a.plan = append(a.plan, op{skip: skip})
	}
}

// abbrevCache holds the abbreviation tables of a file. Several units can share one, and after link-time optimization the
// entries of one unit refer to those of many others.
type abbrevCache struct {
	mu         sync.Mutex
	cursor     cursor
	tables     map[abbrevKey]*abbrevTable
	attributes int // in all tables
}

type abbrevKey struct {
	offset uint64
	encoding
}

// table is the abbreviation table of a unit; nil if it cannot be read.
func (f *file) table(h *header) *abbrevTable {
	key := abbrevKey{h.abbrevs, h.encoding}
	f.abbrevs.mu.Lock()
	defer f.abbrevs.mu.Unlock()
	if t, ok := f.abbrevs.tables[key]; ok {
		return t
	}
	return f.abbrevs.read(&f.sections[secAbbrev], key)
}

func (cache *abbrevCache) read(section *Section, key abbrevKey) *abbrevTable {
	c := &cache.cursor
	c.reach = tableWindow
	c.open(section, key.offset, section.size())
	t, attributes := new(abbrevTable), 1
	for attributes < tableAttributes {
		code, a := readAbbrev(c, key.encoding)
		if code == 0 || c.short {
			break
		}
		attributes += len(a.attrs) + 1
		t.add(code, a)
	}
	if c.short || attributes >= tableAttributes {
		t = nil
	}
	if cache.attributes += attributes; cache.tables == nil || cache.attributes > tableAttributes {
		cache.tables, cache.attributes = make(map[abbrevKey]*abbrevTable), attributes
	}
	cache.tables[key] = t
	return t
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
