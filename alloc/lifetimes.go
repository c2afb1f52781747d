//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// Lifetimes are what ShortLivedIn can be asked for: blocks are counted by how long they lived in these classes, not one by
// one.
func Lifetimes() []time.Duration { return tables.Lifetimes() }

// ShortLivedIn returns what was allocated since Start and freed within a time, which must be one of Lifetimes; nothing in it
// is in use. Times are measured to about 30 ms. The samples lie in memory, as SnapshotIn's do. After Stop it returns
// errStopped.
func (r *Recording) ShortLivedIn(memory *scratch.Memory, within time.Duration) (*Snapshot, error) {
	classes := slices.Index(Lifetimes(), within) + 1
	return r.snapshot(memory, func(read *tables.Reader) *tables.Samples { return read.FreedWithin(classes) })
}
