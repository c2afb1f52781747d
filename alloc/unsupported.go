//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package alloc

import (
	"fmt"
	"iter"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Recording cannot be on this platform.
type Recording struct{}

// Start fails with ErrUnsupported and the reason.
func Start(Options) (*Recording, error) {
	return nil, fmt.Errorf("%w: %w", ErrUnsupported, cgo.Supported())
}

// Snapshot gives ErrStopped.
func (*Recording) Snapshot() (*Snapshot, error) { return nil, ErrStopped }

// SnapshotIn gives ErrStopped.
func (*Recording) SnapshotIn(*scratch.Memory) (*Snapshot, error) { return nil, ErrStopped }

type packedSamples struct{}

// EachPacked yields none.
func (*Snapshot) EachPacked() iter.Seq[*stack.Sample] { return func(func(*stack.Sample) bool) {} }

// Unpack does nothing.
func (*Snapshot) Unpack() {}

// Peak gives ErrStopped.
func (*Recording) Peak() (*Snapshot, error) { return nil, ErrStopped }

// PeakIn gives ErrStopped.
func (*Recording) PeakIn(*scratch.Memory) (*Snapshot, error) { return nil, ErrStopped }

// AgesIn gives ErrStopped.
func (*Recording) AgesIn(*scratch.Memory, time.Duration) (*Snapshot, error) { return nil, ErrStopped }

// ShortLivedIn gives ErrStopped.
func (*Recording) ShortLivedIn(*scratch.Memory, time.Duration) (*Snapshot, error) {
	return nil, ErrStopped
}

// ResetPeak gives ErrStopped.
func (*Recording) ResetPeak() error { return ErrStopped }

// Ages gives ErrStopped.
func (*Recording) Ages(time.Duration) (*Snapshot, error) { return nil, ErrStopped }

// ShortLived gives ErrStopped.
func (*Recording) ShortLived(time.Duration) (*Snapshot, error) { return nil, ErrStopped }

// Lifetimes gives none.
func Lifetimes() []time.Duration { return nil }

// InUse gives 0.
func (*Recording) InUse() int64 { return 0 }

// SetSampleBytes gives ErrStopped.
func (*Recording) SetSampleBytes(int64) error { return ErrStopped }

// Reading asks nobody.
func (*Recording) Reading() (done func()) { return func() {} }

// Counters gives none.
func (*Recording) Counters() []stack.Loss { return nil }

// Stop does nothing.
func (*Recording) Stop() error { return nil }
