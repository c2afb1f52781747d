package cgoheap

import (
	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// fit makes the heaps' samples add up to the account's lines, and returns the rest as leaves.
func (h *heaps) fit(a *account.Account, mapped map[string][]stack.Sample) []report.Leaf {
	r := report.Resident{Native: h.native.Samples, Go: h.golang.Samples, Mapped: mapped, Pinned: alloc.OnPinnedLine}
	leaves := r.Fit(a)
	h.native.Samples, h.golang.Samples, h.mapped = r.Native, r.Go, r.Calls()
	return leaves
}

func takeResident(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
	looking.Lock()
	defer looking.Unlock()
	return r.ResidentIn(s.memory, running, figuresOf(malloc.Read(lookingTime, r.Breaks()...)))
}
