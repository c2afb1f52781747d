//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// An allocator that a library brought along maps its memory by calls from the program's own code, which look like any other. But if
// a block lies in what a call mapped, the call was an allocator's; and so is all that the same call site has mapped,
// with blocks in it or free. Without this, free memory would have the stack of a block that is long gone.

var pageBytes = uint64(os.Getpagesize())

// holding are the mappings of the program, and whether blocks lie in them.
type holding struct {
	list  []Mapping // in the order of addresses
	holds []bool
	sites map[stack.Frame]bool // the call sites that have made those with blocks
}

// newHolding begins with what is mapped now. It is empty where no library brought an allocator along.
func (r *Recording) newHolding(memory *scratch.Memory) (h holding) {
	if len(cgo.BroughtAllocators()) == 0 {
		return h
	}
	list, err := r.mapped(memory)
	if err != nil {
		return h
	}
	h.list = slices.DeleteFunc(list, func(m Mapping) bool { return !m.mayHold() })
	h.holds = make([]bool, len(h.list))
	return h
}

// mayHold reports whether an allocator may have mapped the range as a program does.
func (m *Mapping) mayHold() bool {
	return m.Kind == account.Program && m.ID != 0 && !m.Shared && !m.File
}

// see notes a block. A large one behind a header at the beginning of a page proves nothing: libc's malloc may have mapped it by
// itself, where a recorded range was unmapped by a call that was not.
func (h *holding) see(address, size uint64) {
	const header = 16
	if len(h.list) == 0 || size >= largeBlock && address%pageBytes == header {
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

// learn finds the call sites that have made a mapping that holds blocks. A mapping that is not in the list any more does not count: its
// addresses may have been another's when the block was seen.
func (h *holding) learn(list []Mapping, callSiteOf func(*Mapping) stack.Frame) {
	keepSame(h.list, list, rangeAndCall)
	h.sites = make(map[stack.Frame]bool)
	for i := range h.list {
		if m := &h.list[i]; h.holds[i] && m.Call != 0 {
			h.sites[callSiteOf(m)] = true
		}
	}
}

// attribute sets the kind of a mapping to the allocator's if it was made at one of these call sites.
func (h *holding) attribute(m *Mapping, callSiteOf func(*Mapping) stack.Frame) {
	if len(h.sites) > 0 && m.mayHold() && h.sites[callSiteOf(m)] {
		m.Kind = account.Allocator
	}
}

// silent returns the allocators that cannot be asked what they keep, if any has memory: which of them has it is not known.
func (h *holding) silent(brought []cgo.Brought) (list []account.Malloc) {
	for _, b := range brought {
		if len(h.sites) > 0 && b.Hooked && b.Mallctl == nil {
			list = append(list, account.Malloc{Name: b.Prefix + "malloc", Unknown: "the allocator with this function does not report what it has free"})
		}
	}
	return list
}

// callSite returns the innermost frame of the mapping's stack.
func callSite(m *Mapping) stack.Frame { return region().CallSite(uint32(m.ID)) }
