package pprof

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
