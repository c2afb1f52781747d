package pprof

import "math"

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
