//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/unwind"
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
