package cgoheap

import (
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/goheap"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// heaps are profiles of one moment: of native memory and, if the selection includes it, of Go's own heap.
type heaps struct {
	native stack.Profile
	golang *stack.Profile // nil if the selection does not include it
	mapped []stack.Sample // memory that was mapped directly, of ViewRSS
}

func newHeaps(s *alloc.Snapshot, both bool) heaps {
	h := heaps{native: s.Profile}
	if both {
		golang := goheap.Read(goModules(s.Modules))
		h.golang = &golang
	}
	return h
}

// goModules returns a function that maps the address of Go code to its file, a plugin or else the program; 0 if unknown.
func goModules(modules []*mappings.Module) func(pc uintptr) stack.ModuleID {
	var program stack.ModuleID
	var plugins []*mappings.Module
	for _, m := range modules {
		switch {
		case m.HoldsProgram():
			program = m.ID
		case m.Plugin:
			plugins = append(plugins, m)
		}
	}
	return func(pc uintptr) stack.ModuleID {
		for _, m := range plugins {
			if m.Holds(mappings.RuntimeAddr(pc)) {
				return m.ID
			}
		}
		return program
	}
}

// joined returns the profile to write: native memory, then Go's heap, each with its label.
func (h *heaps) joined() stack.Profile {
	if h.golang == nil {
		return h.native
	}
	both := h.native
	both.Samples = make([]stack.Sample, 0, len(h.native.Samples)+len(h.golang.Samples))
	both.Samples = report.AppendLabelled(both.Samples, h.native.Samples, "native")
	both.Samples = report.AppendLabelled(both.Samples, h.golang.Samples, "go")
	both.Samples = report.AppendLabelled(both.Samples, h.mapped, "mapped")
	both.Losses = slices.Concat(h.native.Losses, h.golang.Losses)
	return both
}

func (h *heaps) comment() string {
	return fmt.Sprintf("cgoheap: and Go's own heap, in use, and allocated since the program began, both as of the last garbage "+
		"collection, %s", report.Sampling(h.golang.SampleBytes))
}

// fit makes the heaps' samples add up to the account's lines, and returns the rest as leaves.
func (h *heaps) fit(a *account.Account, mapped map[string][]stack.Sample) []report.Leaf {
	r := report.Resident{Native: h.native.Samples, Go: h.golang.Samples, Mapped: mapped, Pinned: alloc.OnPinnedLine}
	leaves := r.Fit(a)
	h.native.Samples, h.golang.Samples, h.mapped = r.Native, r.Go, r.Calls()
	return leaves
}

func takeResident(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
	looking.Lock()
	defer looking.Unlock()
	return r.ResidentIn(s.memory, running, figuresOf(malloc.Read(lookingTime, r.Breaks()...)))
}
