//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package reach

import (
	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Look says that this build cannot.
func Look(*alloc.Recording, *scratch.Memory, Options) (*Findings, error) { return nil, cgo.Supported() }
