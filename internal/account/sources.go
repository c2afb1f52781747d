package account

import (
	"os"

	"github.com/cgoheap/cgoheap/stack"
)

// Range is a range of addresses. Limit is the first address behind it.
type Range struct {
	Start, Limit uint64
}

// Kind is the owner for whom memory was mapped.
type Kind uint8

// The kinds of what is mapped.
const (
	Program   Kind = iota // by the program or a library: it has a stack
	Go                    // by the Go runtime: the caller was x_cgo_mmap
	Allocator             // by an allocator whose blocks are recorded, which are not to be counted twice
	Profiler              // by the profiler itself
)

// Mapped is a range of addresses that a recorded call mapped, and that no recorded call has unmapped or mapped over since.
// The ranges of a list do not overlap. Ranges that the kernel no longer maps are ignored, so an unmapping that was not
// recorded does no harm.
type Mapped struct {
	Range
	Kind   Kind
	Call   uint64        // its number, in the order of the calls; parts of what one call mapped have the same. 0: a call of Go's that was not recorded
	ID     uint64        // of the stack: the same stack, the same number; as in stack.Sample
	Frames []stack.Frame // leaf first; empty if unknown
}

// Stack is what libc mapped for a thread.
type Stack struct {
	Range
	Thread  int    // its number; 0 if it has ended
	Control uint64 // the address of its control block, which lies in it
}

// Malloc has one allocator's own figures, in bytes. A figure that it does not have is 0, and the field that announces it is
// false.
type Malloc struct {
	Name   string // "glibc", "jemalloc", ...
	Arenas int    // 0 if unknown

	// InUse is what it counts as allocated, headers and rounding included; Free what it keeps for later blocks.
	HasFigures  bool
	InUse, Free uint64

	// FreeResident is the part of Free that is resident: whole pages, and parts of pages that are shared with blocks in use.
	// Trimmable is the part of that which the allocator can return to the kernel: whole pages. Pinned is the part on pages
	// that blocks in use lie on as well: no trim returns it. ShareRead is the share of the allocator's resident memory that was
	// looked at for them, from 0 to 1: they are estimated as if the rest were alike. 1 if the allocator itself counts.
	HasResidency                    bool
	FreeResident, Trimmable, Pinned uint64
	ShareRead                       float64

	// Read is where was looked if ShareRead is less than 1, and InUseRead what is in use there.
	Read      []Range
	InUseRead uint64

	ByArena []Arena // the same figures for each arena, which add up to those above; empty if unknown
	Unknown string  // why figures are missing; "" if it has all

	Rounded func(size uint64) uint64 `json:"-"` // bytes that a block of a size takes, at most a page more if it is large; nil if unknown

	// Apart returns the blocks that it has mapped one by one and that are not among the given ones, recorded ones. The ranges are resident
	// memory that nobody has claimed, ascending, in which the blocks must be. It returns them all, or none: then missing is how many bytes of
	// such blocks there are; 0 if unknown. nil if the allocator cannot say.
	Apart func(unclaimed []Range, recorded []Block) (blocks []Range, missing uint64) `json:"-"`

	Ranges []Range // all memory that its blocks lie in, blocks mapped one by one included; empty if unknown
}

// AddArena adds the figures of an arena to the sums.
func (m *Malloc) AddArena(a Arena) {
	m.ByArena = append(m.ByArena, a)
	m.InUse, m.Free, m.FreeResident = m.InUse+a.InUse, m.Free+a.Free, m.FreeResident+a.FreeResident
	m.Trimmable, m.Pinned = m.Trimmable+a.Trimmable, m.Pinned+a.Pinned
}

// Estimated reports whether the figures of residency are estimated, or missing, so that they follow from what is in use, touched or not.
func (m *Malloc) Estimated() bool {
	return m.HasResidency && m.ShareRead < 1 || m.HasFigures && !m.HasResidency
}

// Rounding returns the rule by which blocks take more than what the program asked for. It is nil if the allocator reports none, and
// if there are several: then it is not known whose a block is.
func Rounding(allocators []Malloc) func(size uint64) uint64 {
	if len(allocators) != 1 {
		return nil
	}
	return allocators[0].Rounded
}

// Arena has the figures of one of an allocator's arenas, in bytes, as Malloc has their sums.
type Arena struct {
	Number                                       int // in the allocator's own order, from 0
	InUse, Free, FreeResident, Trimmable, Pinned uint64
}

// Mapping is a range of addresses that a recorded call mapped, or the part of it that no recorded call has unmapped or mapped over
// since.
type Mapping struct {
	Mapped
	Length uint64 // bytes that the call asked for; of a segment of shmat, the bytes of it that are attached

	Shared  bool // by MAP_SHARED, or a segment of shmat
	File    bool // of a file, not anonymous
	Unknown bool // whether it is shared or a file: mremap moved memory of no recorded call, or it has huge pages
}

// Fits reports whether a range of the kernel's list can be this one, by the list's letter for sharing and whether it has an
// inode, as files and shared memory have. If it cannot be, calls that were not recorded have unmapped the range and mapped
// another one at its addresses.
func (m *Mapping) Fits(shared, inode bool) bool {
	return m.Unknown || m.Shared == shared && (m.File || m.Shared) == inode
}

// wholePages returns the ranges with the pages that they only begin or end in.
func wholePages(ranges []Range) []Range {
	whole := make([]Range, len(ranges))
	for i, r := range ranges {
		whole[i] = r.wholePages()
	}
	return whole
}

func (r Range) wholePages() Range {
	page := uint64(os.Getpagesize())
	return Range{r.Start &^ (page - 1), (r.Limit + page - 1) &^ (page - 1)}
}

// Thread is a running thread.
type Thread struct {
	Number  int
	Stack   Range         // what libc mapped for it: guard, stack, variables, control block; of the main thread empty
	Control uint64        // the address of its control block
	Keys    Range         // in the control block: the values of the first pthread keys, KeyBytes each; empty if unknown
	Storage []ThreadLocal // ascending; empty if unknown
}

// KeyBytes is how far the values of two pthread keys are apart.
const KeyBytes = 16

// ThreadLocal is the thread-local storage that a thread has for one file. It lies at the end of what libc mapped for the thread, or
// in a block of the allocator, if the file was loaded later.
type ThreadLocal struct {
	Range
	Bias uint64 // of the file: runtime address − ELF address
}
