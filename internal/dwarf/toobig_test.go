package dwarf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"testing"
)

var little = binary.LittleEndian

// unitBytes is a unit of DWARF 4 with the entries given. Its table of abbreviations is the first.
func unitBytes(entries []byte) []byte {
	head := little.AppendUint32(nil, uint32(len(entries)+7))
	head = little.AppendUint32(little.AppendUint16(head, 4), 0)
	return append(append(head, 8), entries...)
}

// The abbreviations of the hand-made entries: DW_AT_low_pc and DW_AT_high_pc, before that what else an entry has.
const (
	rootCode  = 1 // no more
	namedCode = 2 // DW_AT_name in DW_FORM_strp
)

var handmadeAbbrevs = []byte{
	rootCode, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0,
	namedCode, 0x2e, 0, 3, 0xe, 0x11, 1, 0x12, 6, 0, 0,
	0,
}

// appendRange appends the attributes of an entry that all of them have.
func appendRange(entry []byte, low uint64, size uint32) []byte {
	return little.AppendUint32(little.AppendUint64(entry, low), size)
}

const functionSize = 16

// functions are a root and so many functions in a row, each with an attribute of four bytes, and the addresses of all.
func functions(count int, code byte, attribute func(i int) uint32) (entries []byte, addresses []uint64) {
	entries = appendRange([]byte{rootCode}, 0x1000, uint32(count*functionSize))
	for i := range count {
		low := uint64(0x1000 + i*functionSize)
		entries = little.AppendUint32(append(entries, code), attribute(i))
		entries = appendRange(entries, low, functionSize)
		addresses = append(addresses, low)
	}
	return entries, addresses
}

// handmade is a program with these sections, all of it code.
func handmade(sections inMemory) Program {
	return Program{Source: sections, IsCode: func(uint64) bool { return true }}
}

// mustBeTooBig makes sure that a search gives up.
func mustBeTooBig(t *testing.T, p Program, addresses []uint64) {
	t.Helper()
	data, err := Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	answers, err := data.Find(addresses)
	if !errors.Is(err, ErrTooBig) || len(answers) != len(addresses) {
		t.Fatalf("%d answers to %d questions, %v", len(answers), len(addresses), err)
	}
}

func TestASearchGivesUpOnStringsWithoutAnEnd(t *testing.T) {
	const costly = 24 << 10 // names of 64 KB: a gigabyte and a half, some seconds
	entries, addresses := functions(costly, namedCode, func(i int) uint32 { return uint32(i) })
	text := bytes.Repeat([]byte{'a'}, nameLimit+len(addresses))
	mustBeTooBig(t, handmade(inMemory{
		".debug_info": unitBytes(append(entries, 0)), ".debug_abbrev": handmadeAbbrevs, ".debug_str": text,
	}), addresses)
}

// countingReader counts the bytes that are read, and the times.
type countingReader struct {
	data         []byte
	bytes, reads int
}

func (r *countingReader) ReadAt(p []byte, offset int64) (int, error) {
	n := copy(p, r.data[offset:])
	r.bytes, r.reads = r.bytes+n, r.reads+1
	return n, nil
}

func TestAStringWithoutAnEndIsNotReadBeyondTheLimit(t *testing.T) {
	const window, limit = 1 << 8, 1 << 12
	reader := &countingReader{data: bytes.Repeat([]byte{'a'}, 1<<20)}
	c := cursor{reach: window}
	c.open(&Section{Reader: reader, Size: 1 << 20}, 0, 1<<20)
	if got := c.text(limit); got != "" || c.offset() != limit+1 || reader.bytes > limit+2*window {
		t.Errorf("%d bytes of text, at %d, %d bytes were read", len(got), c.offset(), reader.bytes)
	}
}

func TestWhatIsReadIsPaidFor(t *testing.T) {
	long := append(bytes.Repeat([]byte{'a'}, 1<<16), 0)
	for what, read := range map[string]func(c *cursor){
		"a string":           func(c *cursor) { c.text(1 << 17) },
		"the skipped string": func(c *cursor) { c.skipText() },
		"a string too long":  func(c *cursor) { c.text(1 << 15) },
	} {
		b := budget{all: new(atomic.Int64)}
		c := cursor{budget: &b}
		c.open(&Section{Bytes: long}, 0, uint64(len(long)))
		if read(&c); b.total() < int64(len(long))/stepBytes-1 {
			t.Errorf("%s: %d steps", what, b.total())
		}
	}
	reader := &countingReader{data: long}
	b := budget{all: new(atomic.Int64)}
	c := cursor{reach: longestNumber, budget: &b}
	for offset := uint64(0); offset < 1<<15; offset += 1 << 10 {
		c.open(&Section{Reader: reader, Size: 1 << 16}, offset, 1<<16)
		c.u8()
	}
	if b.total() < int64(reader.reads*fillSteps) || reader.reads < 1<<5 {
		t.Errorf("%d reads: %d steps", reader.reads, b.total())
	}
}

// total is how many steps were spent in all.
func (b *budget) total() int64 { return b.all.Load() + int64(b.steps) }

func TestANumberWithoutAnEndIsDamage(t *testing.T) {
	for _, padded := range []int{0, 1, 9, longestNumber - 1, longestNumber, 1 << 20} {
		data := append(bytes.Repeat([]byte{0x80}, padded), 0, 7)
		reader := &countingReader{data: data}
		c := cursor{reach: longestNumber}
		c.open(&Section{Reader: reader, Size: uint64(len(data))}, 0, uint64(len(data)))
		if n := c.uleb(); n != 0 || c.short != (padded >= longestNumber) || reader.bytes > 2*longestNumber {
			t.Errorf("%d bytes with more to come: %d, short %v, %d bytes were read", padded, n, c.short, reader.bytes)
		}
		if got := c.u8(); !c.short && got != 7 {
			t.Errorf("%d bytes with more to come: then %d", padded, got)
		}
		c.open(c.section, 0, c.limit)
		if n := c.sleb(); n != 0 || c.short != (padded >= longestNumber) {
			t.Errorf("%d bytes with more to come: %d, short %v", padded, n, c.short)
		}
	}
}
