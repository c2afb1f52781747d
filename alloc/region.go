//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// region returns the region, in place.
func region() tables.Region { return cgo.Region() }

// reader returns a reader of what has been recorded until the next settle.
func (r *Recording) reader(memory *scratch.Memory) *tables.Reader {
	return tables.NewReader(region(), tables.Options{
		Depth:  r.options.MaxDepth,
		Seed:   r.options.Seed,
		Ticks:  cgo.Ticks(),
		Stacks: cgo.Counted(layout.CountStacks),
		Sites:  cgo.Counted(layout.CountSites),
	}, memory)
}
