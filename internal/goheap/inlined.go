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

// expander turns the runtime's stacks into frames, and caches the result for each address. Most addresses of many stacks
// are the same few: recent finds those by their low bits, without a search in the map.
type expander struct {
	module func(pc uintptr) stack.ModuleID
	known  map[uintptr]*expansion
	recent [1 << 12]*expansion
}

// expansion is the result for one return address.
type expansion struct {
	pc     uintptr
	frame  stack.Frame
	outer  []uintptr // the addresses that follow it in a stack for the calls it is inlined in, innermost first
	hidden bool      // at the leaf
	goexit bool
}

func newExpander(module func(pc uintptr) stack.ModuleID) *expander {
	return &expander{module: module, known: make(map[uintptr]*expansion)}
}

// appendFrames appends the call sites of a stack of return addresses that the runtime has recorded.
func (e *expander) appendFrames(frames []stack.Frame, pcs []uintptr) []stack.Frame {
	pcs = e.trim(pcs)
	for len(pcs) > 0 {
		at := e.at(pcs[0])
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

// trim removes the hidden functions at the leaf, unless there are no others.
func (e *expander) trim(pcs []uintptr) []uintptr {
	leaf := slices.IndexFunc(pcs, func(pc uintptr) bool { return !e.at(pc).hidden })
	return pcs[max(0, leaf):]
}

func (e *expander) at(pc uintptr) *expansion {
	recent := &e.recent[pc%uintptr(len(e.recent))]
	if *recent != nil && (*recent).pc == pc {
		return *recent
	}
	known := e.known[pc]
	if known == nil {
		known = e.look(pc)
		e.known[pc] = known
	}
	*recent = known
	return known
}

func (e *expander) look(pc uintptr) *expansion {
	if runtime.FuncForPC(pc-1) == nil {
		return &expansion{pc: pc, frame: stack.NewFrame(0, uint64(pc-1))}
	}
	known := &expansion{
		pc:     pc,
		frame:  stack.NewFrame(e.module(pc-1), uint64(pc-1)),
		hidden: hidesAtLeaf(pc),
		goexit: isGoexit(pc),
	}
	if calls := expandFinalInlineFrame([]uintptr{pc}); len(calls) > 1 {
		known.outer = calls[1:]
	}
	return known
}
