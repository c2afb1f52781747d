//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/unwind"
	"github.com/cgoheap/cgoheap/mappings"
)

// C reads rules in the layout of package unwind.
var _ [layout.SizeofRule]byte = [unsafe.Sizeof(unwind.Rule{})]byte{}

// build makes a module's rows from its file, and puts them into the region.
func (l *loaded) build(m *module) error {
	file, err := m.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := l.buildFrom(file, m); err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	return nil
}

func (l *loaded) buildFrom(file *elffile.File, m *module) error {
	part, addr, err := file.EhFrameParts()
	if err != nil {
		return err
	}
	var memory scratch.Memory
	defer memory.Free()
	table, _, err := unwind.BuildFrom(unwind.Source{
		Reader: part, Size: part.Size(), Addr: addr, Machine: file.Machine, Memory: &memory,
	})
	if err != nil {
		return err
	}
	return l.store(m, table, &memory)
}

// store copies a table from scratch memory into the region.
func (l *loaded) store(m *module, t *unwind.Table, memory *scratch.Memory) error {
	size := 8*3 + 4*len(t.PCs) + 2*len(t.Rules) + int(unsafe.Sizeof(unwind.Rule{}))*len(t.Set)
	e, err := l.arena.reserve(size)
	if err != nil {
		return err
	}
	m.extent = e
	m.rows = cgo.Rows{PCs: e.offset, Count: len(t.PCs), Base: t.Base + m.Bias, Go: m.rows.Go}
	m.rows.Set = moveRows(e.offset, t.PCs, memory)
	m.rows.Rules = put(m.rows.Set, t.Set)
	moveRows(m.rows.Rules, t.Rules, memory)
	return nil
}

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
