//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"time"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// AgesIn returns what is in use and at least as old as oldest, with a sample for each stack and class of age: the label
// "age" is the least age of the class, in seconds. Blocks freed while the call reads the table of live blocks are not in it,
// and neither are those allocated in the last moment before it, about 20 ms, which is as exact as ages are measured, nor are
// blocks whose free was lost. errStopped after Stop. The samples lie in memory, as SnapshotIn's.
func (r *Recording) AgesIn(memory *scratch.Memory, oldest time.Duration) (*Snapshot, error) {
	return r.snapshot(memory, func(read *tables.Reader) *tables.Samples { return read.OfAge(oldest) })
}
