package pprof

import "math"

// LocationID is a location's number in one profile, from 1.
type LocationID uint32

// Location is a position in a program: an address of a file, and the calls that were inlined there.
type Location struct {
	Mapping Mapping // zero: no known file
	Address uint64  // ELF address of the call site: a return address − 1
	Lines   []Line  // innermost call first; empty, or without function names, if the location is unnamed
	StandIn bool    // the names in the lines are stand-ins, which a reader that knows the names may replace
}

// Line is a line of source code in a function; Line and Column are from 1, or 0 if they are not known.
type Line struct {
	Function     Function
	Line, Column int64
}

// Function is a function of the source code. Name is for people, SystemName is the linker's (mangled).
type Function struct {
	Name, SystemName, File string
	StartLine              int64
}

type locationKey struct {
	mapping uint64
	address uint64
	lines   int
}

type functionKey struct {
	name, systemName, file uint64 // numbers of strings
	startLine              int64
}

// named reports whether every call at the location has a function name, and not a stand-in for it.
func (l *Location) named() bool {
	if l.StandIn {
		return false
	}
	for i := range l.Lines {
		if l.Lines[i].Function.Name == "" {
			return false
		}
	}
	return len(l.Lines) > 0
}

// Expect makes room for the given number of locations, if there are none yet. Without it the tables double as they grow.
func (e *Encoder) Expect(locations int) {
	if e.err == nil && len(e.locations.keys) == 0 {
		e.locations = newTable[locationKey](&e.scratch, locations)
	}
}

// Location returns the number of l in this profile and writes l if it is new. Locations with the same mapping, address and
// number of lines are one, with the lines of the first. Numbers are valid for this encoder only. After an error of the
// writer, Location returns 0.
func (e *Encoder) Location(l Location) LocationID {
	if e.err != nil {
		return 0
	}
	key := locationKey{e.mapping(l.Mapping, l.named()), l.Address, len(l.Lines)}
	number, known := e.locations.number(key, hashOf(key.mapping, key.address, uint64(key.lines)))
	id := LocationID(number + 1)
	if known {
		return id
	}
	if key.mapping != 0 {
		e.mappings[key.mapping-1].observe(l.Lines)
	}
	e.writeLocation(id, key, l.Lines)
	e.flushFull()
	return id
}

// writeLocation writes the functions of the lines first: they are separate messages beside the location.
func (e *Encoder) writeLocation(id LocationID, key locationKey, lines []Line) {
	e.lineFunctions = e.lineFunctions[:0]
	for i := range lines {
		e.lineFunctions = append(e.lineFunctions, e.function(&lines[i].Function))
	}
	start := e.out.begin(profileLocation)
	e.out.number(locationID, uint64(id))
	e.out.number(locationMappingID, key.mapping)
	e.out.number(locationAddress, key.address)
	for i := range lines {
		line := e.out.begin(locationLine)
		e.out.number(lineFunctionID, e.lineFunctions[i])
		e.out.number(lineLine, uint64(lines[i].Line))
		e.out.number(lineColumn, uint64(lines[i].Column))
		e.out.end(line)
	}
	e.out.end(start)
}

// function returns the number of f, and writes f if it is new.
func (e *Encoder) function(f *Function) uint64 {
	key := functionKey{e.text(f.Name), e.text(f.SystemName), e.text(f.File), f.StartLine}
	number, known := e.functions.number(key, hashOf(key.name, key.systemName, key.file, uint64(key.startLine)))
	id := uint64(number) + 1
	if known {
		return id
	}
	start := e.out.begin(profileFunction)
	e.out.number(functionID, id)
	e.out.number(functionName, key.name)
	e.out.number(functionSystemName, key.systemName)
	e.out.number(functionFilename, key.file)
	e.out.number(functionStartLine, uint64(key.startLine))
	e.out.end(start)
	return id
}

// Mapping is a loaded file. The zero Mapping means no file.
type Mapping struct {
	File    string
	BuildID string // GNU build ID, lower-case hex; "" if there is none
}

// mappingEntry is an entry of the profile's list of mappings, with flags about the lines under it. A file has up to two: one
// for the locations with names and one for those without, so that a server with the file's debug information can still name
// them.
type mappingEntry struct {
	mappingKey
	functions, files, numbers, inlines bool // each: some location under this entry has one
}

type mappingKey struct {
	file, buildID uint64 // numbers of strings
	named         bool
}

// mapping returns the number of m's entry for locations with or without names; 0 if m is zero. Entries are numbered from 1,
// in the order of first use.
func (e *Encoder) mapping(m Mapping, named bool) uint64 {
	if m == (Mapping{}) {
		return 0
	}
	key := mappingKey{e.text(m.File), e.text(m.BuildID), named}
	id, known := e.mappingIDs[key]
	if !known {
		e.mappings = append(e.mappings, mappingEntry{mappingKey: key})
		id = uint64(len(e.mappings))
		e.mappingIDs[key] = id
	}
	return id
}

// observe updates the flags for the lines of another location under the entry. A flag means that some location has such
// information, not all: pprof's own symbolizer sets flags this way. has_functions is true of all, because a location lies
// under the named entry only if all of its functions have names.
func (m *mappingEntry) observe(lines []Line) {
	if !m.named {
		return
	}
	m.functions = true
	m.inlines = m.inlines || len(lines) > 1
	for i := range lines {
		m.files = m.files || lines[i].Function.File != ""
		m.numbers = m.numbers || lines[i].Line != 0
	}
}

// writeMappings writes all entries. The range of each is the whole address space because the addresses under it are
// ELF addresses, and two files may well share them.
func (e *Encoder) writeMappings() {
	for i := range e.mappings {
		m := &e.mappings[i]
		start := e.out.begin(profileMapping)
		e.out.number(mappingID, uint64(i+1))
		e.out.number(mappingMemoryStart, 0)
		e.out.number(mappingMemoryLimit, math.MaxUint64)
		e.out.number(mappingFileOffset, 0)
		e.out.number(mappingFilename, m.file)
		e.out.number(mappingBuildID, m.buildID)
		e.out.flag(mappingHasFunctions, m.functions)
		e.out.flag(mappingHasFilenames, m.files)
		e.out.flag(mappingHasLineNumbers, m.numbers)
		e.out.flag(mappingHasInlineFrames, m.inlines)
		e.out.end(start)
	}
}

// pendingSize is the size of the mappings' messages, which are written last, as of that number of locations.
type pendingSize struct {
	locations int
	bytes     int64
}

// pendingMappings returns the size of what writeMappings would write. Only a new location can change it.
func (e *Encoder) pendingMappings() int64 {
	if e.pending.bytes == 0 || e.pending.locations != len(e.locations.keys) {
		before := len(e.out)
		e.writeMappings()
		e.pending = pendingSize{len(e.locations.keys), int64(len(e.out) - before)}
		e.out = e.out[:before]
	}
	return e.pending.bytes
}
