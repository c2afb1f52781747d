package unwind

import (
	"math"
	"sort"
)

// Finder finds the functions around single addresses of a file, in memory that does not grow with the file. An FDE has the
// start and end of code that was compiled as one piece. Usually that is a function; but a compiler may put the unlikely part
// of a function elsewhere (.cold) with its own FDE, and one FDE describes all stubs of a linkage table.
//
// Linkers write an index of the FDEs, .eh_frame_hdr: pairs of 32-bit offsets, of the code and of its FDE, in ascending order
// (Linux Standard Base, 10.6.2). Without a readable index, it passes over all records once.
type Finder struct {
	Frames, Index Bytes
	Read          func(into []byte, address uint64) error // from an ELF address on
}

// Bytes are a range of ELF addresses.
type Bytes struct{ Addr, Size uint64 }

// Function is the code of an FDE, as ELF addresses. The zero value is none.
type Function struct{ Start, Limit uint64 }

// Find returns the function around each of the addresses, which ascend; none where no FDE covers it.
func (f Finder) Find(addresses []uint64) []Function {
	found := make([]Function, len(addresses))
	frames, index := window{read: f.Read, within: f.Frames}, window{read: f.Read, within: f.Index}
	s := search{fdes: frames, cies: frames, index: index}
	if !s.openIndex() {
		s.scan(addresses, found)
		return found
	}
	for i, address := range addresses {
		found[i] = s.lookUp(address)
	}
	return found
}

// search is a Finder at work.
type search struct {
	fdes, cies window // of the same range
	index      window
	count      uint64 // entries in the index
	last       uint64 // one that begins no later than what was looked up last
	cieAt      uint64 // the CIE that was read last
	cie        *cie
}

const (
	indexHead  = 12 // version, three encodings, pointer to .eh_frame, number of entries
	indexEntry = 8
)

// openIndex reads the head of .eh_frame_hdr. Only the form that all linkers write is known.
func (s *search) openIndex() bool {
	head := cursor{data: s.index.bytes(s.index.within.Addr, indexHead)}
	const version, udata4, datarel4 = 1, 0x03, 0x3b
	if head.u8() != version {
		return false
	}
	pointer, number, entries := head.u8(), head.u8(), head.u8()
	if pointer&formatMask&^formatSigned != formatU4 || number != udata4 || entries != datarel4 {
		return false
	}
	head.u32()
	s.count = uint64(head.u32())
	return !head.failed && s.count <= (s.index.within.Size-indexHead)/indexEntry
}

// entry returns where the code of an entry of the index begins, and where its FDE is.
func (s *search) entry(i uint64) (code, fde uint64) {
	c := cursor{data: s.index.bytes(s.index.within.Addr+indexHead+i*indexEntry, indexEntry)}
	offset := func() uint64 { return s.index.within.Addr + uint64(int64(int32(c.u32()))) }
	return offset(), offset()
}

// lookUp doubles its steps from the last entry that was found, and then halves them: addresses of a profile lie together.
func (s *search) lookUp(address uint64) Function {
	after := func(i uint64) bool {
		code, _ := s.entry(i)
		return code > address
	}
	step := uint64(1)
	for s.last+step < s.count && !after(s.last+step) {
		s.last += step
		step *= 2
	}
	reach := min(step, s.count-s.last)
	n := sort.Search(int(reach), func(i int) bool { return after(s.last + uint64(i)) })
	if n == 0 {
		return Function{}
	}
	s.last += uint64(n - 1)
	code, at := s.entry(s.last)
	f, _ := s.record(at)
	if f.Start != code || !f.holds(address) {
		return Function{}
	}
	return f
}

func (f Function) holds(address uint64) bool { return f.Start <= address && address < f.Limit }

// record reads a record. It returns the function if the record is an FDE that can be used, and where the next one is: 0 if
// there is none.
func (s *search) record(at uint64) (f Function, next uint64) {
	size, head := s.fdes.length(at)
	if head == 0 {
		return Function{}, 0
	}
	next = at + head + size
	const mostRead = 64 // of an FDE: the pointer to its CIE, two numbers and the size of what follows
	from := at + head
	c := cursor{data: s.fdes.bytes(from, min(size, mostRead))}
	id := c.u32()
	if c.failed || id == 0 {
		return Function{}, next
	}
	e := s.readCIE(from - uint64(id))
	if e == nil {
		return Function{}, next
	}
	f.Start = c.address(e.encoding, from)
	f.Limit = f.Start + c.pointer(e.encoding)
	if c.failed || f.Start == 0 || f.Limit <= f.Start {
		return Function{}, next
	}
	return f, next
}

// length reads how many bytes a record has behind its length, and how many that takes: 0 if it does not fit.
func (w *window) length(at uint64) (size, head uint64) {
	c := cursor{data: w.bytes(at, 4)}
	size, head = uint64(c.u32()), 4
	if size == math.MaxUint32 {
		c = cursor{data: w.bytes(at+4, 8)}
		size, head = c.u64(), 12
	}
	if end := w.within.Addr + w.within.Size; c.failed || size > end-at-head {
		return 0, 0
	}
	return size, head
}

func (s *search) readCIE(at uint64) *cie {
	if at == s.cieAt {
		return s.cie
	}
	s.cieAt, s.cie = at, nil
	const mostRead = 512
	size, head := s.cies.length(at)
	c := cursor{data: s.cies.bytes(at+head, min(size, mostRead))}
	if id := c.u32(); id == 0 && !c.failed {
		s.cie = readCIEHead(&c)
	}
	return s.cie
}

// overlaps is how many FDEs may hold an address, on average: one, in files that are not hostile.
const overlaps = 64

// scan passes over all records. Where FDEs overlap, the one that begins first keeps the address, as in Build.
func (s *search) scan(addresses []uint64, found []Function) {
	end := s.fdes.within.Addr + s.fdes.within.Size
	work := overlaps * len(addresses)
	for at := s.fdes.within.Addr; at != 0 && at < end && work > 0; {
		var f Function
		f, at = s.record(at)
		first := sort.Search(len(addresses), func(i int) bool { return addresses[i] >= f.Start })
		for i := first; i < len(addresses) && f.holds(addresses[i]); i++ {
			if found[i] == (Function{}) || f.Start < found[i].Start {
				found[i] = f
			}
			work--
		}
	}
}

// window reads a range of a file a little at a time.
type window struct {
	read   func(into []byte, address uint64) error
	within Bytes
	start  uint64
	data   []byte // of buffer
	buffer [windowBytes]byte
}

const windowBytes = 1 << 10

// bytes returns size bytes at an address, at most windowBytes; nil where the range does not have them. They are good until
// the next call.
func (w *window) bytes(address, size uint64) []byte {
	skip := address - w.within.Addr
	if address < w.within.Addr || skip > w.within.Size || size > w.within.Size-skip {
		return nil
	}
	if address < w.start || address-w.start > uint64(len(w.data)) || size > uint64(len(w.data))-(address-w.start) {
		w.start, w.data = address, w.buffer[:min(windowBytes, w.within.Size-skip)]
		if w.read(w.data, address) != nil {
			w.data = nil
		}
	}
	if size > uint64(len(w.data)) {
		return nil
	}
	return w.data[address-w.start:][:size:size]
}
