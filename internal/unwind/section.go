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
