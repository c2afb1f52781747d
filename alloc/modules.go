//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/mappings"
)

// modules asks the kernel, or the loader where the kernel's answer cannot be read.
func modules() ([]mappings.Module, error) {
	known, err := mappings.Self()
	if err == nil {
		return known, nil
	}
	known = linked()
	if len(known) == 0 {
		return nil, err
	}
	return known, nil
}

// linked are the modules that the loader knows: all but code that came without it.
func linked() []mappings.Module {
	var segments []mappings.Segment
	for _, s := range cgo.Segments() {
		segments = append(segments, mappings.Segment{
			Path:       s.Path,
			Start:      mappings.RuntimeAddr(s.Start),
			Limit:      mappings.RuntimeAddr(s.Limit),
			Offset:     mappings.FileOffset(s.Offset),
			Executable: s.Executable,
		})
	}
	return mappings.Linked(segments)
}
