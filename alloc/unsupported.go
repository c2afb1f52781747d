//go:build !linux || !amd64 || !cgo || asan || msan

package alloc

import (
	"fmt"

	"github.com/cgoheap/cgoheap/cgo"
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

// Counters gives none.
func (*Recording) Counters() []stack.Loss { return nil }

// Stop does nothing.
func (*Recording) Stop() error { return nil }
