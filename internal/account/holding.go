package account

import (
	"os"
	"slices"

	"github.com/cgoheap/cgoheap/stack"
)

// An allocator that a library brought along maps its memory by calls from the program's own code, which look like any other. But if
// a block lies in what a call mapped, the call was an allocator's; and so is all that the same call site has mapped,
// with blocks in it or free. Without this, free memory would have the stack of a block that is long gone.

var pageBytes = uint64(os.Getpagesize())

// Holding are the mappings of the program, and whether blocks lie in them.
type Holding struct {
	list  []Mapping // in the order of addresses
	holds []bool
	sites map[stack.Frame]bool // the call sites that have made those with blocks
}

// NewHolding begins with what is mapped, in the order of addresses.
func NewHolding(list []Mapping) (h Holding) {
	h.list = slices.DeleteFunc(list, func(m Mapping) bool { return !m.mayHold() })
	h.holds = make([]bool, len(h.list))
	return h
}

// mayHold reports whether an allocator may have mapped the range as a program does.
func (m *Mapping) mayHold() bool {
	return m.Kind == Program && m.ID != 0 && !m.Shared && !m.File
}

// See notes a block. A large one behind a header at the beginning of a page proves nothing: libc's malloc may have mapped it by
// itself, where a recorded range was unmapped by a call that was not.
func (h *Holding) See(address, size uint64) {
	const header = 16
	if len(h.list) == 0 || size >= LargeBlock && address%pageBytes == header {
		return
	}
	i, found := slices.BinarySearchFunc(h.list, address, func(m Mapping, address uint64) int {
		switch {
		case m.Limit <= address:
			return -1
		case m.Start > address:
			return 1
		}
		return 0
	})
	if found {
		h.holds[i] = true
	}
}

// Learn finds the call sites that have made a mapping that holds blocks. A mapping that is not in the list any more does not count: its
// addresses may have been another's when the block was seen.
func (h *Holding) Learn(list []Mapping, callSiteOf func(*Mapping) stack.Frame) {
	KeepSame(h.list, list, rangeAndCall)
	h.sites = make(map[stack.Frame]bool)
	for i := range h.list {
		if m := &h.list[i]; h.holds[i] && m.Call != 0 {
			h.sites[callSiteOf(m)] = true
		}
	}
}

// Attribute sets the kind of a mapping to the allocator's if it was made at one of these call sites.
func (h *Holding) Attribute(m *Mapping, callSiteOf func(*Mapping) stack.Frame) {
	if len(h.sites) > 0 && m.mayHold() && h.sites[callSiteOf(m)] {
		m.Kind = Allocator
	}
}

// Found reports whether an allocator's call sites were found.
func (h *Holding) Found() bool { return len(h.sites) > 0 }

// KeepSame sets the Call of mappings to 0 that are not in a later list. Both are in the order of addresses.
func KeepSame[M any](before []Mapping, after []M, of func(*M) (Range, uint64)) {
	for i := range before {
		b, same := &before[i], false
		for ; len(after) > 0 && !same; after = after[1:] {
			r, call := of(&after[0])
			if r.Start > b.Start {
				break
			}
			same = r == b.Range && call == b.Call
		}
		if !same {
			b.Call = 0
		}
	}
}

// rangeAndCall are what must be the same.
func rangeAndCall(m *Mapping) (Range, uint64) { return m.Range, m.Call }
