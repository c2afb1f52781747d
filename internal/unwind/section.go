package unwind

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Section is an .eh_frame section as it lies in its file.
type Section struct {
	Data    []byte
	Addr    uint64 // ELF address of Data[0]
	Machine elf.Machine
}

// machines are the supported machines.
var machines = map[elf.Machine]machine{elf.EM_X86_64: x86, elf.EM_AARCH64: aarch64}

// Source is an .eh_frame section that is read piece by piece, and the memory that its rows are built in: Go's heap if it
// is nil.
type Source struct {
	Reader  io.ReaderAt
	Size    int64
	Addr    uint64 // ELF address of the first byte
	Machine elf.Machine
	Memory  *scratch.Memory
}

// Build turns a section into rows. FDEs that cannot be used are counted in the report. An error means that nothing can be
// read reliably, and comes with a nil table: the machine is neither amd64 nor arm64, the section's records do not fit into
// it, or the code spans more than a row's 32 bits can address.
//
// Where FDEs overlap, the one with the lower start keeps the code, of equal starts the one that comes first in the
// section; the other gets what lies beyond.
func Build(s Section) (*Table, Report, error) {
	return buildRows(&records{size: len(s.Data), window: s.Data}, s.Addr, s.Machine)
}

// BuildFrom is Build for a section that is not in memory. The table's PCs and Rules lie in the source's Memory.
func BuildFrom(s Source) (*Table, Report, error) {
	return buildRows(&records{reader: s.Reader, size: int(s.Size), memory: s.Memory, reach: leastReach}, s.Addr, s.Machine)
}

func buildRows(r *records, addr uint64, of elf.Machine) (*Table, Report, error) {
	var report Report
	m, known := machines[of]
	if !known {
		return nil, Report{}, fmt.Errorf("reading .eh_frame: there are no rules for %v", of)
	}
	s := scanner{records: r, addr: addr, machine: m, report: &report, cies: make(map[int]*cie)}
	defer func() { scratch.ReleaseSlice(r.memory, s.found) }()
	if err := s.scan(); err != nil {
		return nil, Report{}, fmt.Errorf("reading .eh_frame: %w", err)
	}
	slices.SortFunc(s.found, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.at, b.at))
	})
	b := builder{report: &report, machine: m, table: newTable(), index: make(map[Rule]uint16), memory: r.memory}
	if len(s.found) > 0 {
		b.table.Base = s.found[0].start
	}
	for _, p := range s.found {
		f, reason := s.fdeAt(p.at)
		if reason != Used { // the file has changed since it was scanned
			report.Skipped[Broken]++
			continue
		}
		if f.limit-b.table.Base > math.MaxUint32 {
			return nil, Report{}, fmt.Errorf("reading .eh_frame: code from %#x to %#x is more than 4 GiB",
				b.table.Base, f.limit)
		}
		b.add(&f)
	}
	b.finish()
	return b.table, report, nil
}

// records are the records of a section, of which a part is in memory at a time: a large program has megabytes of them.
type records struct {
	reader io.ReaderAt // nil if all of the section is in the window
	size   int
	window []byte
	base   int // offset of window[0]
	buffer []byte
	reach  int // how much is read at once
	memory *scratch.Memory
}

// Reading in the order of the section, and in the order of the code, mostly goes forward. Where it does not, little is read
// at once.
const (
	leastReach = 4 << 10
	mostReach  = 128 << 10
)

// bytes returns the bytes between two offsets, valid until the next call; nil if they cannot be read.
func (r *records) bytes(from, to int) []byte {
	if from < r.base || to > r.base+len(r.window) {
		if r.reader == nil || !r.read(from, to) {
			return nil
		}
	}
	return r.window[from-r.base : to-r.base]
}

func (r *records) read(from, to int) bool {
	if end := r.base + len(r.window); from >= r.base && from <= end+leastReach {
		r.reach = min(2*r.reach, mostReach)
	} else {
		r.reach = leastReach
	}
	length := min(max(r.reach, to-from), r.size-from)
	if length > len(r.buffer) {
		r.memory.Release(r.buffer)
		r.buffer = r.memory.Bytes(max(length, mostReach))
	}
	n, _ := r.reader.ReadAt(r.buffer[:length], int64(from))
	r.window, r.base = r.buffer[:n], from
	return n >= to-from
}

// record returns the record at an offset, after its length, and the offset of the next. A record without bytes is a
// terminator; ok is false for one that does not fit.
func (r *records) record(at int) (data []byte, end int, ok bool) {
	const lengths = 12
	c := cursor{data: r.bytes(at, min(at+lengths, r.size))}
	length := uint64(c.u32())
	if length == 1<<32-1 {
		length = c.u64()
	}
	start := at + c.at
	if c.failed || length > uint64(r.size-start) {
		return nil, 0, false
	}
	end = start + int(length)
	data = r.bytes(start, end)
	return data, end, data != nil || length == 0
}

// scanner finds the FDEs of a section.
type scanner struct {
	*records
	addr    uint64 // ELF address of the section
	machine machine
	report  *Report
	cies    map[int]*cie // by where their records begin
	found   []located
}

// located is the position of an FDE that covers code. The FDE is read again when its turn comes, which takes less memory
// than keeping it.
type located struct {
	start uint64 // of its code, as an ELF address
	at    int
}

// scan reads all records and lists the FDEs that cover code, in the section's order. Every byte belongs to one record, and
// an FDE can only name a CIE that came before it, so the work is linear in the size of the section.
func (s *scanner) scan() error {
	for at := 0; at < s.size; {
		data, end, ok := s.record(at)
		if !ok {
			return fmt.Errorf("record at offset %#x: it does not fit into the %d bytes that the section has left", at, s.size-at)
		}
		if len(data) > 0 { // linkers do put records after a terminator
			s.take(data, at, end)
		}
		at = end
	}
	return nil
}

func (s *scanner) take(data []byte, at, end int) {
	c := cursor{data: data}
	if c.u32() == 0 {
		s.cies[at] = readCIE(c, s.machine)
		return
	}
	f, reason := s.fde(data, end)
	if reason != Used {
		s.report.Skipped[reason]++
		return
	}
	s.found = scratch.Append(s.memory, s.found, located{f.start, at})
}

// fde reads an FDE whose record ends at an offset.
func (s *scanner) fde(data []byte, end int) (fde, Reason) {
	c := cursor{data: data}
	begin := end - len(data)
	id := c.u32()
	return readFDE(c, s.cies[begin-int(id)], s.addr+uint64(begin))
}

// fdeAt reads the FDE whose record begins at an offset, until the next record is read.
func (s *scanner) fdeAt(at int) (fde, Reason) {
	data, end, ok := s.record(at)
	if !ok || len(data) == 0 {
		return fde{}, Malformed
	}
	return s.fde(data, end)
}
