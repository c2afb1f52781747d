//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/mappings"
)

// modules lists the modules from the kernel's maps, or from the loader if the maps cannot be read.
func modules() ([]mappings.Module, error) {
	known, made, err := mappings.SelfAndMade()
	if err == nil {
		if len(made) > 0 {
			known = append(known, *mappings.Made(layout.ModuleMade, made))
		}
		return known, nil
	}
	known = linked()
	if len(known) == 0 {
		return nil, err
	}
	return known, nil
}

// apart separates the module of code made at run time from the modules of files.
func apart(all []mappings.Module) (files []mappings.Module, made []mappings.Range) {
	for _, m := range all {
		if m.IsMade() {
			made = m.Ranges
		} else {
			files = append(files, m)
		}
	}
	return files, made
}

// linked returns the modules that the loader knows: all but code that came without it.
func linked() []mappings.Module {
	var segments []mappings.Segment
	for _, s := range cgo.Segments() {
		if s.Limit == s.Start { // nothing of it comes from the file
			continue
		}
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

// Loaded returns the modules of the recording, at index ID − 1: all that were loaded at any time of it, as the last look found them.
func (r *Recording) Loaded() []*mappings.Module {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.loaded.all)
}

// Present returns the modules that are loaded, as the last look found them, the program's own first.
func (r *Recording) Present() (list []*mappings.Module) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.loaded.current {
		list = append(list, r.loaded.current[i].Module)
	}
	return list
}
