//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Lifetimes are what ShortLived can be asked for: blocks are counted by how long they lived in these classes, not one by
// one.
func Lifetimes() []time.Duration { return cgo.Lifetimes() }

// ShortLived is what was allocated since Start and freed within a time, which must be one of Lifetimes; nothing in it is
// in use. Times are measured to about 30 ms. ErrStopped after Stop.
func (r *Recording) ShortLived(within time.Duration) (*Snapshot, error) {
	return r.ShortLivedIn(nil, within)
}

// ShortLivedIn is ShortLived in memory, as SnapshotIn is Snapshot.
func (r *Recording) ShortLivedIn(memory *scratch.Memory, within time.Duration) (*Snapshot, error) {
	classes := slices.Index(Lifetimes(), within) + 1
	return r.snapshot(memory, func(read *reader) []record {
		return read.samples(func(site uint64) flow { return flow{allocated: freedWithin(site, classes)} })
	})
}
