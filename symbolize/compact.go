package symbolize

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"unsafe"

	"github.com/klauspost/compress/s2"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Between two profiles, what is known of a module is one piece of compressed bytes, a fifth of what its answers and their names
// take: 20 bytes for an address of a C++ program. Before it is compressed, it consists of four lists. Each begins with its
// length. Numbers are varints, and addresses the distance from the one before.
//
//	strings  each: its length, its bytes
//	runs     each: how many lines; of each line the numbers of its three strings, and its three numbers
//	answers  each: address, reason, lack, the number + 1 of its run, or 0
//	around   each: address, how far before it the function begins
//
// A string is in the list once. Neighbours in one function share a run, as they share their lines.

// compact lets go of the answers, and keeps their bytes.
func (k *known) compact() {
	if k.changed {
		var memory scratch.Memory
		plain := newCompactor(&memory).write(k)
		k.bytes = bytes.Clone(s2.Encode(memory.Bytes(s2.MaxEncodedLen(len(plain))), plain))
		memory.Free()
	}
	k.changed, k.answers, k.around = false, nil, nil
}

// expand brings back what compact let go of.
func (k *known) expand() {
	if k.answers != nil || k.bytes == nil {
		return
	}
	var memory scratch.Memory
	defer memory.Free()
	size, err := s2.DecodedLen(k.bytes)
	if err != nil {
		return // as if nothing were known
	}
	plain, err := s2.Decode(memory.Bytes(size), k.bytes)
	if err != nil {
		return
	}
	(&expander{plain, k.store}).read(k)
}

// compactor writes the lists of one module.
type compactor struct {
	memory *scratch.Memory
	seed   maphash.Seed
	text   []byte   // the bytes of all strings
	ends   []uint32 // of each string in the text
	index  scratch.Index
	runs   []byte
	count  uint64 // of runs
	last   answer // whose lines are the last run
}

func newCompactor(memory *scratch.Memory) *compactor {
	return &compactor{memory: memory, seed: maphash.MakeSeed(), index: scratch.NewIndex(memory, 1<<10)}
}

// write returns the lists, in scratch memory.
func (c *compactor) write(k *known) []byte {
	answers := c.number(nil, uint64(len(k.answers)))
	before := uint32(0)
	for i := range k.answers {
		a := &k.answers[i]
		answers = c.number(answers, uint64(a.address-before))
		answers = c.number(c.number(answers, uint64(a.reason)), uint64(a.lack))
		answers = c.number(answers, c.run(a))
		before = a.address
	}
	plain := c.strings()
	plain = c.append(c.number(plain, c.count), c.runs)
	plain = c.number(c.append(plain, answers), uint64(len(k.around)))
	before = 0
	for _, a := range k.around {
		plain = c.number(c.number(plain, uint64(a.address-before)), uint64(a.address-a.start))
		before = a.address
	}
	return plain
}

// run returns the number + 1 of the run of lines of an answer, 0 if it has none.
func (c *compactor) run(a *answer) uint64 {
	if a.count == 0 {
		return 0
	}
	if a.lines == c.last.lines && a.count == c.last.count {
		return c.count
	}
	c.last = *a
	c.runs = c.number(c.runs, uint64(a.count))
	lines := unsafe.Slice(a.lines, a.count)
	for i := range lines {
		l := &lines[i]
		for _, s := range [...]string{l.Function, l.SystemName, l.File} {
			c.runs = c.number(c.runs, uint64(c.string(s)))
		}
		for _, n := range [...]int{l.Line, l.Column, l.StartLine} {
			c.runs = c.number(c.runs, uint64(n))
		}
	}
	c.count++
	return c.count
}

// string returns the number of a string.
func (c *compactor) string(s string) uint32 {
	hash := maphash.String(c.seed, s)
	number, found := c.index.Find(hash, func(number uint32) bool { return string(c.at(number)) == s })
	if !found {
		number = uint32(len(c.ends))
		c.text = c.append(c.text, unsafe.Slice(unsafe.StringData(s), len(s)))
		c.ends = scratch.Append(c.memory, c.ends, uint32(len(c.text)))
		c.index.Add(hash, number)
	}
	return number
}

// at returns the bytes of a string.
func (c *compactor) at(number uint32) []byte {
	begin := uint32(0)
	if number > 0 {
		begin = c.ends[number-1]
	}
	return c.text[begin:c.ends[number]]
}

func (c *compactor) strings() []byte {
	list := c.number(nil, uint64(len(c.ends)))
	for number := range c.ends {
		s := c.at(uint32(number))
		list = c.append(c.number(list, uint64(len(s))), s)
	}
	return list
}

func (c *compactor) number(b []byte, n uint64) []byte {
	var room [binary.MaxVarintLen64]byte
	return c.append(b, binary.AppendUvarint(room[:0], n))
}

func (c *compactor) append(b, more []byte) []byte {
	return append(scratch.Grow(c.memory, b, len(more)), more...)
}

// expander reads the lists.
type expander struct {
	rest  []byte
	store *store
}

func (e *expander) read(k *known) {
	names := make([]string, e.number())
	for i := range names {
		size := e.number()
		names[i] = e.store.copy(e.rest[:size])
		e.rest = e.rest[size:]
	}
	runs := make([][]Line, e.number())
	var lines []Line
	for i := range runs {
		lines = lines[:0]
		for range e.number() {
			lines = append(lines, Line{
				Function: names[e.number()], SystemName: names[e.number()], File: names[e.number()],
				Line: int(e.number()), Column: int(e.number()), StartLine: int(e.number()),
			})
		}
		runs[i] = e.store.keep(lines...)
	}
	k.answers = make([]answer, e.number())
	address := uint32(0)
	for i := range k.answers {
		address += uint32(e.number())
		k.answers[i] = answer{address: address, reason: Reason(e.number()), lack: Reason(e.number())}
		if run := e.number(); run > 0 {
			lines := runs[run-1]
			k.answers[i].lines, k.answers[i].count = unsafe.SliceData(lines), uint16(len(lines))
		}
	}
	k.around = make([]around, e.number())
	address = 0
	for i := range k.around {
		address += uint32(e.number())
		k.around[i] = around{address, address - uint32(e.number())}
	}
}

func (e *expander) number() uint64 {
	n, size := binary.Uvarint(e.rest)
	e.rest = e.rest[size:]
	return n
}
