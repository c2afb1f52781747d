package goheap

import (
	"runtime"
	"slices"
	_ "unsafe" // for go:linkname

	"github.com/cgoheap/cgoheap/stack"
)

// expandFinalInlineFrame puts the addresses of the enclosing calls behind a last address that lies in an inlined call. The
// runtime promises its name and signature to everyone who links to it (go.dev/issue/67401).
//
//go:linkname expandFinalInlineFrame runtime/pprof.runtime_expandFinalInlineFrame
func expandFinalInlineFrame(stack []uintptr) []uintptr

// places turns the runtime's stacks into frames, and remembers what it learned of each address. Most addresses of many
// stacks are the same few: recent finds those by their low bits, without a search in the map.
type places struct {
	module func(pc uintptr) stack.ModuleID
	known  map[uintptr]*place
	recent [1 << 12]*place
}

// place is what there is to know of a return address.
type place struct {
	pc     uintptr
	frame  stack.Frame
	outer  []uintptr // what follows it in a stack for the calls that it is inlined in, innermost first
	hidden bool      // at the leaf
	goexit bool
}

func newPlaces(module func(pc uintptr) stack.ModuleID) *places {
	return &places{module: module, known: make(map[uintptr]*place)}
}

// appendFrames appends the call sites of a stack of return addresses that the runtime has recorded.
func (p *places) appendFrames(frames []stack.Frame, pcs []uintptr) []stack.Frame {
	pcs = p.trim(pcs)
	for len(pcs) > 0 {
		at := p.at(pcs[0])
		if !at.goexit {
			frames = append(frames, at.frame)
		}
		pcs = pcs[1:]
		for _, outer := range at.outer {
			if len(pcs) == 0 || pcs[0] != outer {
				break
			}
			pcs = pcs[1:]
		}
	}
	return frames
}

// trim takes away what is hidden at the leaf. If that is all there is, it is shown.
func (p *places) trim(pcs []uintptr) []uintptr {
	leaf := slices.IndexFunc(pcs, func(pc uintptr) bool { return !p.at(pc).hidden })
	return pcs[max(0, leaf):]
}

func (p *places) at(pc uintptr) *place {
	recent := &p.recent[pc%uintptr(len(p.recent))]
	if *recent != nil && (*recent).pc == pc {
		return *recent
	}
	known := p.known[pc]
	if known == nil {
		known = p.look(pc)
		p.known[pc] = known
	}
	*recent = known
	return known
}

func (p *places) look(pc uintptr) *place {
	if runtime.FuncForPC(pc-1) == nil {
		return &place{pc: pc, frame: stack.NewFrame(0, uint64(pc-1))}
	}
	known := &place{
		pc:     pc,
		frame:  stack.NewFrame(p.module(pc-1), uint64(pc-1)),
		hidden: hidesAtLeaf(pc),
		goexit: isGoexit(pc),
	}
	if calls := expandFinalInlineFrame([]uintptr{pc}); len(calls) > 1 {
		known.outer = calls[1:]
	}
	return known
}
