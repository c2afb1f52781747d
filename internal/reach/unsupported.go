//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package reach

import (
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
)

// Look says that this build cannot.
func Look(*alloc.Recording, *scratch.Memory, Options) (*Findings, error) { return nil, cgo.Supported() }

// ByStack is never called, because there are no Findings.
func (*Findings) ByStack(*alloc.Recording, *scratch.Memory, time.Duration, func(int) int) (map[uint64]*suspects.Found, error) {
	return nil, cgo.Supported()
}
