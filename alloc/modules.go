//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"unsafe"

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

// The Go code of a plugin (-buildmode=plugin), and of the libraries that a program may be linked with (-linkshared), is code
// of the running Go runtime in a module of its own. The runtime knows it only after the loader has run the module's
// constructors, which may be after the module was found. So each update asks again about modules that were opened. Go never
// closes a plugin.

// findGo looks for Go code in a module other than the program's, and reports whether it found some for the first time.
func (l *loaded) findGo(m *module) bool {
	if m.rows.Go != 0 || m.HoldsProgram() {
		return false
	}
	for _, r := range m.Ranges {
		code, found := cgo.FindGoCode(uint64(r.Start), uint64(r.Limit), uint16(m.ID))
		if !found {
			continue
		}
		e, err := l.arena.reserve(int(unsafe.Sizeof(code)))
		if err != nil {
			return false
		}
		m.rows.Go = e.offset
		put(e.offset, []cgo.GoCode{code})
		l.markPlugin(m)
		return true
	}
	return false
}

// markPlugin marks the module as a plugin. Snapshots keep the old module.
func (l *loaded) markPlugin(m *module) {
	marked := *m.Module
	marked.Plugin = true
	m.Module = &marked
	l.all[m.ID-1] = &marked
}
