package pprof

import (
	"hash/maphash"
	"sync"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// memory is the memory of an encoder while it writes. The tables lie in scratch memory, which is freed; the buffers are
// reused by the next profile, unless the garbage collector has taken them.
type memory struct {
	out        wire
	mappingIDs map[mappingKey]uint64
	mappings   []mappingEntry

	lineFunctions []uint64 // of the location being written
	labelKeys     []uint64 // of the sample being written: the keys of its labels, as numbers of strings

	scratch   scratch.Memory
	texts     texts
	textCount uint64 // those written
	functions table[functionKey]
	locations table[locationKey]
}

// table numbers keys, which must hold no pointers, from 0.
type table[K comparable] struct {
	keys   []K
	index  scratch.Index
	memory *scratch.Memory
}

func newTable[K comparable](m *scratch.Memory, expected int) table[K] {
	return table[K]{keys: scratch.Slice[K](m, expected)[:0], index: scratch.NewIndex(m, expected), memory: m}
}

// number returns the key's number, and whether the key was known.
func (t *table[K]) number(key K, hash uint64) (number uint32, known bool) {
	if number, known = t.index.Find(hash, func(n uint32) bool { return t.keys[n] == key }); known {
		return number, true
	}
	number = uint32(len(t.keys))
	t.keys = scratch.Append(t.memory, t.keys, key)
	t.index.Add(hash, number)
	return number, false
}

// texts numbers strings and keeps copies of them.
type texts struct {
	bytes  []byte
	list   []text
	index  scratch.Index
	memory *scratch.Memory
}

// text is where a string lies in the bytes, and its number in the profile.
type text struct {
	start  uint64
	length uint32
	id     uint32
}

func newTexts(m *scratch.Memory) texts { return texts{index: scratch.NewIndex(m, 0), memory: m} }

func (t *texts) find(s string, hash uint64) (id uint32, known bool) {
	i, known := t.index.Find(hash, func(n uint32) bool {
		other := &t.list[n]
		return string(t.bytes[other.start:other.start+uint64(other.length)]) == s
	})
	if !known {
		return 0, false
	}
	return t.list[i].id, true
}

func (t *texts) add(s string, hash uint64, id uint32) {
	t.index.Add(hash, uint32(len(t.list)))
	t.list = scratch.Append(t.memory, t.list, text{start: uint64(len(t.bytes)), length: uint32(len(s)), id: id})
	t.bytes = append(scratch.Grow(t.memory, t.bytes, len(s)), s...)
}

var seed = maphash.MakeSeed()

func hashOf(words ...uint64) (hash uint64) {
	for _, w := range words {
		hash = (hash ^ w) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	return hash
}

var memories = sync.Pool{New: func() any { return &memory{mappingIDs: map[mappingKey]uint64{}} }}

func newMemory() *memory {
	m := memories.Get().(*memory)
	m.texts, m.textCount = newTexts(&m.scratch), 0
	m.functions, m.locations = newTable[functionKey](&m.scratch, 0), newTable[locationKey](&m.scratch, 0)
	return m
}

// release frees the tables, lets go of the compressor, and returns buffers to their pool, once. Nothing may use them afterwards.
func (e *Encoder) release() {
	e.sink = nil
	m := e.memory
	if m == nil {
		return
	}
	e.memory = nil
	m.texts, m.functions, m.locations = texts{}, table[functionKey]{}, table[locationKey]{}
	m.scratch.Free()
	m.out, m.mappings = m.out[:0], m.mappings[:0]
	clear(m.mappingIDs)
	memories.Put(m)
}
