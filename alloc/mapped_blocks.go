//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// newHolding begins with what is mapped now. It is empty where no library brought an allocator along.
func (r *Recording) newHolding(memory *scratch.Memory) account.Holding {
	if len(cgo.BroughtAllocators()) == 0 {
		return account.Holding{}
	}
	list, err := r.mapped(memory)
	if err != nil {
		return account.Holding{}
	}
	return account.NewHolding(list)
}

// silent returns the allocators that cannot be asked what they keep, if any has memory: which of them has it is not known.
func silent(h *account.Holding, brought []cgo.Brought) (list []account.Malloc) {
	for _, b := range brought {
		if h.Found() && b.Hooked && b.Mallctl == nil {
			list = append(list, account.Malloc{Name: b.Prefix + "malloc", Unknown: "the allocator with this function does not report what it has free"})
		}
	}
	return list
}

// callSite returns the innermost frame of the mapping's stack.
func callSite(m *Mapping) stack.Frame { return region().CallSite(uint32(m.ID)) }
