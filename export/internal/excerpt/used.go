package excerpt

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// used are the parts of a profile that an excerpt refers to, and the excerpt's length with them, at most. Unused locations and
// functions are left out, and the others get new IDs, because Parca wants IDs that are positions. An unused string becomes
// empty, and so strings keep their numbers.
type used struct {
	locations, functions map[uint64]*item
	strings              []*item
	bytes                int
	lastLocation         uint64 // the highest ID
	lastFunction         uint64
	mapping              uint64  // the ID of the main binary, which is the first
	journal              []*item // marked since it was last emptied
}

// item is a location, a function or a string.
type item struct {
	message []byte
	cost    int // how much longer the excerpt is with it
	used    bool
	id      uint64 // in the excerpt
}

const emptyString = 2 // bytes: a tag, and the length 0

// newUsed marks what each excerpt with these columns has.
func newUsed(p *Profile, part *Part, columns []int) *used {
	u := &used{locations: map[uint64]*item{}, functions: map[uint64]*item{}}
	for _, s := range p.strings {
		whole := len(appendBytes(nil, profileStringTable, s))
		u.strings = append(u.strings, &item{message: s, cost: whole - emptyString})
		u.bytes += emptyString
	}
	for _, c := range columns {
		for f := (cursor{rest: p.sampleTypes[c].whole}); f.next(); {
			u.texts(f.bytes, valueTypeType, valueTypeUnit)
		}
	}
	u.bytes += len(p.writeTypes(nil, columns))
	for c := (cursor{rest: p.raw}); c.next(); {
		u.table(&c.field, part)
	}
	return u
}

// table enters a field of the profile, or marks what it refers to if each excerpt has it.
func (u *used) table(f *field, part *Part) {
	switch f.number {
	case profileSample, profileSampleType, profileDefaultSampleType, profileStringTable:
		return
	case profileDurationNanos:
		if !part.Duration {
			return
		}
	case profileLocation:
		u.lastLocation = max(u.lastLocation, u.enter(u.locations, f))
		return
	case profileFunction:
		u.lastFunction = max(u.lastFunction, u.enter(u.functions, f))
		return
	case profileMapping:
		if u.mapping == 0 {
			u.mapping = numberIn(f.bytes, mappingID, nil)
		}
		u.texts(f.bytes, mappingFilename, mappingBuildID)
	case profilePeriodType:
		u.texts(f.bytes, valueTypeType, valueTypeUnit)
	case profileDropFrames, profileKeepFrames, profileComment, profileDocURL:
		u.text(f)
	}
	u.bytes += len(f.whole)
}

// enter enters a location or a function in its table, and returns its ID.
func (u *used) enter(table map[uint64]*item, f *field) (id uint64) {
	id = idOf(f)
	table[id] = &item{message: f.bytes, cost: len(f.whole)}
	return id
}

func idOf(f *field) uint64 { return numberIn(f.bytes, anyID, nil) }

// mark marks an item, and reports whether it was not marked before.
func (u *used) mark(i *item) bool {
	if i == nil || i.used {
		return false
	}
	i.used = true
	u.bytes += i.cost
	u.journal = append(u.journal, i)
	return true
}

// sample marks what a sample refers to.
func (u *used) sample(key string) {
	damaged := false
	for c := (cursor{rest: []byte(key)}); c.next(); {
		switch c.number {
		case sampleLocationID:
			for _, id := range c.numbers(nil, &damaged) {
				u.location(id)
			}
		case sampleLabel:
			u.texts(c.bytes, labelKey, labelStr, labelNumUnit)
		}
	}
}

func (u *used) location(id uint64) {
	l := u.locations[id]
	if !u.mark(l) {
		return
	}
	for c := (cursor{rest: l.message}); c.next(); {
		if c.number != locationLine {
			continue
		}
		if f := u.functions[numberIn(c.bytes, lineFunctionID, nil)]; u.mark(f) {
			u.texts(f.message, functionName, functionSystemName, functionFilename)
		}
	}
}

// texts marks the strings of these fields of a message.
func (u *used) texts(message []byte, numbers ...protowire.Number) {
	for c := (cursor{rest: message}); c.next(); {
		if slices.Contains(numbers, c.number) {
			u.text(&c.field)
		}
	}
}

func (u *used) text(f *field) {
	damaged := false
	for _, i := range f.numbers(nil, &damaged) {
		if i < uint64(len(u.strings)) {
			u.mark(u.strings[i])
		}
	}
}

// undo takes back the marks in the journal, and their bytes.
func (u *used) undo(before int) {
	for _, i := range u.journal {
		i.used = false
	}
	u.bytes = before
}
