package unwind

import (
	"fmt"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

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
