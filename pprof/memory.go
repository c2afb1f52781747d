package pprof

import "sync"

// memory is what an encoder holds while it writes. It outlives the profile: the next one takes it over, empty but of the
// size that the last one needed, unless the garbage collector was there first.
type memory struct {
	out        wire
	texts      map[string]uint64
	textCount  uint64
	functions  map[functionKey]uint64
	locations  map[locationKey]LocationID
	room       int // for locations
	mappingIDs map[mappingKey]uint64
	mappings   []mappingEntry

	lineFunctions []uint64 // of the location being written
	labelKeys     []uint64 // of the sample being written: the strings that its labels have as keys
}

var memories = sync.Pool{New: func() any {
	return &memory{
		texts:      map[string]uint64{},
		functions:  map[functionKey]uint64{},
		locations:  map[locationKey]LocationID{},
		mappingIDs: map[mappingKey]uint64{},
	}
}}

func newMemory() *memory { return memories.Get().(*memory) }

// release hands memory and compressor on, once. Nothing may touch them afterwards.
func (e *Encoder) release() {
	if e.sink != nil {
		e.sink.release()
	}
	m := e.memory
	if m == nil {
		return
	}
	e.memory = nil
	m.out, m.mappings, m.textCount = m.out[:0], m.mappings[:0], 0
	clear(m.texts)
	clear(m.functions)
	clear(m.locations)
	clear(m.mappingIDs)
	memories.Put(m)
}
