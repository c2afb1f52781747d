//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"fmt"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/mappings"
)

// Making rows of all files that a program is linked with takes some ten milliseconds, most of what a start would take. So
// a file that can never be unloaded waits for its rows: C finds the few rules that it needs at first in the file's memory.
// When it has done so often, it asks for an update, which makes the rows in the background. Programs that end soon, or
// sample little, never need them.

// listImages asks the loader, which costs some system calls for each file. Tests count the calls.
var listImages = cgo.Images

// image returns where the rules of a module lie in memory; zero if they cannot be found, or if the module may be unloaded.
func (l *loaded) image(m *mappings.Module) cgo.Image {
	if !l.loader.fromStart(m) || len(m.Ranges) == 0 {
		return cgo.Image{}
	}
	if l.images == nil {
		l.images = listImages()
	}
	for _, image := range l.images {
		if image.Bias != m.Bias || image.EhFrameHdr == 0 {
			continue
		}
		image.Kept = true
		if _, ok := image.Rule(uint64(m.Ranges[0].Start)); ok {
			return image
		}
	}
	return cgo.Image{}
}

// waits reports whether the module has no rows yet.
func (m *module) waits() bool { return m.rows.Image != cgo.Image{} }

// makeRows makes the module's rows. If there is no room for them, the module goes on waiting. Files that are not libraries
// hold code that the program made, which has no unwind data.
func (l *loaded) makeRows(m *module) {
	image := m.rows.Image
	m.rows.Image = cgo.Image{}
	if err := l.build(m); err != nil && !errors.Is(err, elffile.ErrNotELF) {
		m.rows.Image = image
		l.lost = append(l.lost, fmt.Errorf("reading unwind data: %w", err))
	}
}
