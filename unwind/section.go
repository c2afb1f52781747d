package unwind

import (
	"cmp"
	"debug/elf"
	"fmt"
	"math"
	"slices"
)

// Section is an .eh_frame section as it lies in its file.
type Section struct {
	Data    []byte
	Addr    uint64 // ELF address of Data[0]
	Machine elf.Machine
}

// machines are those whose registers are known.
var machines = map[elf.Machine]machine{elf.EM_X86_64: x86, elf.EM_AARCH64: aarch64}

// Build turns a section into rows. FDEs that cannot be used are counted in the report. An error means that nothing can be
// read reliably, and comes with a nil table: the machine is none of amd64 and arm64, the section's records do not fit into
// it, or the code spans more than a row's 32 bits can address.
//
// Where FDEs overlap, the one with the lower start keeps the code, of equal starts the one that comes first in the
// section; the other gets what lies beyond.
func Build(s Section) (*Table, Report, error) {
	var report Report
	m, known := machines[s.Machine]
	if !known {
		return nil, Report{}, fmt.Errorf("reading .eh_frame: there are no rules for %v", s.Machine)
	}
	fdes, err := s.scan(m, &report)
	if err != nil {
		return nil, Report{}, fmt.Errorf("reading .eh_frame: %w", err)
	}
	slices.SortFunc(fdes, func(a, b fde) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.at, b.at))
	})
	b := builder{report: &report, machine: m, table: newTable(), index: make(map[Rule]uint16)}
	if len(fdes) > 0 {
		b.table.Base = fdes[0].start
	}
	for i := range fdes {
		if fdes[i].limit-b.table.Base > math.MaxUint32 {
			return nil, Report{}, fmt.Errorf("reading .eh_frame: code from %#x to %#x is more than 4 GiB",
				b.table.Base, fdes[i].limit)
		}
		b.add(s, &fdes[i])
	}
	b.finish()
	return b.table, report, nil
}

// scan reads all records and gives the FDEs that cover code, in the section's order. Every byte belongs to one record,
// and an FDE can only name a CIE that came before it, so the work is linear in the size of the section.
func (s Section) scan(m machine, report *Report) ([]fde, error) {
	var fdes []fde
	cies := make(map[int]*cie)
	for c := (cursor{data: s.Data}); c.left() > 0; {
		start := c.at
		end, err := c.recordEnd()
		if err != nil {
			return nil, fmt.Errorf("record at offset %#x: %w", start, err)
		}
		if end == c.at {
			continue // a terminator; linkers put records after it all the same
		}
		record := cursor{data: s.Data[:end], at: c.at}
		c.at = end
		idAt := record.at
		id := record.u32()
		if id == 0 {
			cies[start] = readCIE(record, m)
			continue
		}
		f, reason := readFDE(record, cies[idAt-int(id)], s.Addr)
		if reason != Used {
			report.Skipped[reason]++
			continue
		}
		fdes = append(fdes, f)
	}
	return fdes, nil
}

// recordEnd reads a record's length, of 4 bytes or 4 + 8, and gives the offset of its end.
func (c *cursor) recordEnd() (int, error) {
	length := uint64(c.u32())
	if length == math.MaxUint32 {
		length = c.u64()
	}
	if c.failed || length > uint64(c.left()) {
		return 0, fmt.Errorf("%d bytes, but the section has %d left", length, c.left())
	}
	return c.at + int(length), nil
}
