//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"

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

// errBoxLost reports that somebody has made the file of the tables shorter. What was recorded is gone; nothing is recorded until Stop
// and Start.
var errBoxLost = errors.New("the file that the tables lie in was made shorter, or could not be read: what was recorded is gone, until a new start")

// whole returns errStopped after Stop, and errBoxLost if the tables are no longer whole.
func (r *Recording) whole() error {
	if r.stopped {
		return errStopped
	}
	if _, lost := cgo.BoxState(); lost {
		return errBoxLost
	}
	return nil
}
