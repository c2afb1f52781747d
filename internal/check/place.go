package check

import (
	"math"
	"regexp"
	"strings"
)

func (c *checker) checkMappings() {
	seen := map[mapping]bool{}
	for i, m := range c.mappings {
		c.text(m.file, "mapping[%d].filename", i)
		c.text(m.buildID, "mapping[%d].build_id", i)
		m.id = 0
		if seen[m] {
			c.found(mappingTwice, "mapping[%d]", i)
		}
		seen[m] = true
		if m.start > m.limit {
			c.found(mappingRange, "mapping[%d]", i)
		}
	}
	looked := map[int64]bool{} // at files: thousands of mappings may have one long name
	for i, m := range c.mappings {
		if looked[m.file] {
			continue
		}
		looked[m.file] = true
		if c.mayBeMain(i) {
			if !c.mayBeMain(0) {
				c.found(mappingMain, "mapping[0]")
			}
			return
		}
	}
}

var libraryName = regexp.MustCompile(`\.so($|[._][0-9]+)`)

// mayBeMain guesses by the file's name, for lack of anything better: a library or the kernel's [vdso] is not.
func (c *checker) mayBeMain(index int) bool {
	file := c.lookup(c.mappings[index].file)
	file = strings.TrimSpace(strings.ReplaceAll(file, "(deleted)", ""))
	return file != "" && file[0] != '[' && !libraryName.MatchString(file)
}

func (c *checker) checkFunctions() {
	seen := map[function]bool{}
	for i, f := range c.functions {
		name := c.text(f.name, "function[%d].name", i)
		c.text(f.system, "function[%d].system_name", i)
		c.text(f.file, "function[%d].filename", i)
		if name == "" {
			c.found(functionName, "function[%d]", i)
		}
		f.id = 0
		if seen[f] {
			c.found(functionTwice, "function[%d]", i)
		}
		seen[f] = true
	}
}

func (c *checker) checkLocations() {
	type address struct{ mapping, address uint64 }
	seen := make(map[address]bool, len(c.locations))
	for i := range c.locations {
		l := &c.locations[i]
		named := c.checkLines(i, l)
		c.checkUnder(i, l, named)
		if len(l.lines) == 0 && l.address == 0 {
			c.found(locationEmpty, "location[%d]", i)
		}
		if at := (address{l.mapping, l.address}); l.address != 0 {
			if seen[at] {
				c.found(locationTwice, "location[%d]", i)
			}
			seen[at] = true
		}
	}
}

// checkLines reports whether one of the location's lines has a named function.
func (c *checker) checkLines(index int, l *location) (named bool) {
	for i, id := range l.lines {
		f, ok := c.functionIDs.index(id)
		switch {
		case id == 0:
			c.found(lineFunction, "location[%d].line[%d]", index, i)
		case !ok:
			c.found(functionReference, "location[%d].line[%d]", index, i)
		case c.functions[f].name != 0:
			named = true
		}
	}
	return named
}

// checkUnder checks a location together with its mapping.
func (c *checker) checkUnder(index int, l *location, named bool) {
	at, ok := c.mappingIDs.index(l.mapping)
	switch {
	case l.mapping != 0 && !ok:
		c.found(mappingReference, "location[%d]", index)
		return
	case named:
		return
	case l.mapping == 0:
		c.found(locationMapping, "location[%d]", index)
		return
	}
	m := &c.mappings[at]
	whole := m.start == 0 && m.limit == math.MaxUint64 && m.offset == 0
	switch {
	case m.functions:
		c.found(hasFunctions, "location[%d] under mapping[%d]", index, at)
	case m.start == m.limit:
		c.found(mappingRange, "mapping[%d], for location[%d]", at, index)
	case !whole:
		c.found(mappingForm, "mapping[%d], for location[%d]", at, index)
	}
	if m.buildID == 0 {
		c.found(mappingBuildID, "mapping[%d], for location[%d]", at, index)
	}
}

// ids finds entries of a table by their IDs, which are index + 1 in good profiles and anything in others.
type ids struct {
	list []uint64
	odd  map[uint64]int // the indexes of IDs that are not index + 1
}

func (t *ids) index(id uint64) (int, bool) {
	if i := id - 1; i < uint64(len(t.list)) && t.list[i] == id {
		return int(i), true
	}
	i, ok := t.odd[id]
	return i, ok
}

// add appends an ID and reports whether it was there before.
func (t *ids) add(id uint64) (again bool) {
	if _, again = t.index(id); !again && id != uint64(len(t.list))+1 {
		if t.odd == nil {
			t.odd = map[uint64]int{}
		}
		t.odd[id] = len(t.list)
	}
	t.list = append(t.list, id)
	return again
}

func (c *checker) checkIDs() {
	for i := range c.mappings {
		c.checkID(&c.mappingIDs, c.mappings[i].id, mappingID, "mapping[%d]", i)
	}
	for i := range c.functions {
		c.checkID(&c.functionIDs, c.functions[i].id, functionID, "function[%d]", i)
	}
	for i := range c.locations {
		c.checkID(&c.locationIDs, c.locations[i].id, locationID, "location[%d]", i)
	}
}

// checkID adds the entry's ID to the table.
func (c *checker) checkID(table *ids, id uint64, r ruleID, where string, index int) {
	again := table.add(id)
	switch {
	case id == 0:
		c.found(idZero, where, index)
	case again:
		c.found(idTwice, where, index)
	case id != uint64(index)+1:
		c.found(r, where, index)
	}
}
