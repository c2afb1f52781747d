//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package alloc

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Recording cannot exist on this platform.
type Recording struct{}

// Start fails with ErrUnsupported and the reason.
func Start(Options) (*Recording, error) {
	return nil, fmt.Errorf("%w: %w", ErrUnsupported, cgo.Supported())
}

// Snapshot returns errStopped.
func (*Recording) Snapshot() (*Snapshot, error) { return nil, errStopped }

// SnapshotIn returns errStopped.
func (*Recording) SnapshotIn(*scratch.Memory) (*Snapshot, error) { return nil, errStopped }

// DeviceIn returns errStopped.
func (*Recording) DeviceIn(*scratch.Memory) (*Snapshot, error) { return nil, errStopped }

// SnapshotOf returns errStopped.
func (*Recording) SnapshotOf(func(uint64) bool) (*Snapshot, error) { return nil, errStopped }

// PeakIn returns errStopped.
func (*Recording) PeakIn(*scratch.Memory) (*Snapshot, error) { return nil, errStopped }

// AgesIn returns errStopped.
func (*Recording) AgesIn(*scratch.Memory, time.Duration) (*Snapshot, error) { return nil, errStopped }

// ShortLivedIn returns errStopped.
func (*Recording) ShortLivedIn(*scratch.Memory, time.Duration) (*Snapshot, error) {
	return nil, errStopped
}

// ResidentIn returns errStopped.
func (*Recording) ResidentIn(*scratch.Memory, usage.Kernel, []account.Malloc) (*Snapshot, error) {
	return nil, errStopped
}

// AccountNow returns errStopped.
func (*Recording) AccountNow(usage.Kernel, []account.Malloc) (*account.Account, error) {
	return nil, errStopped
}

// Mappings returns errStopped.
func (*Recording) Mappings(func() error) ([]Mapping, error) { return nil, errStopped }

// Settle does nothing.
func (*Recording) Settle() {}

// Breaks returns none.
func (*Recording) Breaks() []account.Range { return nil }

// MappedBytes returns errStopped.
func (*Recording) MappedBytes() (int64, error) { return 0, errStopped }

// Notes returns nil.
func (*Recording) Notes() []byte { return nil }

// Loaded returns none.
func (*Recording) Loaded() []*mappings.Module { return nil }

// ResetPeak returns errStopped.
func (*Recording) ResetPeak() error { return errStopped }

// LiveTick is the unit of the ticks of Live.
const LiveTick = time.Millisecond

// Live returns errStopped.
func (*Recording) Live(func(uint64, func(func(*suspects.Block)))) error { return errStopped }

// Outside returns errStopped.
func (*Recording) Outside(usage.Kernel) ([]suspects.Thing, error) { return nil, errStopped }

// MappedStacks returns none.
func (*Recording) MappedStacks(numbers []uint64) [][]stack.Frame {
	return make([][]stack.Frame, len(numbers))
}

// Lifetimes returns none.
func Lifetimes() []time.Duration { return nil }

// InUse returns 0.
func (*Recording) InUse() int64 { return 0 }

// MallocInUse returns 0.
func (*Recording) MallocInUse() int64 { return 0 }

// DeviceInUse returns 0.
func (*Recording) DeviceInUse() int64 { return 0 }

// SetSampleBytes returns errStopped.
func (*Recording) SetSampleBytes(int64) error { return errStopped }

// SampleBytes returns 0.
func (*Recording) SampleBytes() int64 { return 0 }

// Reading does nothing.
func (*Recording) Reading() (done func()) { return func() {} }

// Counters returns none.
func (*Recording) Counters() []stack.Loss { return nil }

// Counted returns none.
func (*Recording) Counted() []stack.Loss { return nil }

// Stop does nothing.
func (*Recording) Stop() error { return nil }

// Threads returns none.
func (*Recording) Threads() []account.Thread { return nil }

// Present returns none.
func (*Recording) Present() []*mappings.Module { return nil }

// Blocks cannot exist on this platform.
type Blocks struct{}

// Len returns 0.
func (*Blocks) Len() int { return 0 }

// At returns zeros, because there are no blocks.
func (*Blocks) At(int) (address, size uint64) { return 0, 0 }

// Site returns 0.
func (*Blocks) Site(int) uint32 { return 0 }

// Younger returns false.
func (*Blocks) Younger(int, time.Duration) bool { return false }

// ClassesIn returns errStopped.
func (*Recording) ClassesIn(*scratch.Memory, *Blocks, func(int) int) (*Snapshot, error) {
	return nil, errStopped
}

// WeighedIn returns errStopped.
func (*Recording) WeighedIn(*scratch.Memory, *Blocks, func(int) uint64) (*Snapshot, error) {
	return nil, errStopped
}

// StillIn returns errStopped.
func (*Recording) StillIn(*scratch.Memory, *Blocks, func(int, *suspects.Block)) error {
	return errStopped
}
