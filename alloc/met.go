//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// If a walk meets a library before it is listed, its frames get the number of an object. Here, after each reading of the
// list, objects become modules. The address alone does not identify the module: since the walk, the library may have been
// closed and another loaded at its address. So a module belongs to an object
//
//   - if it lies at the same address and has the same build ID. If no listed module does, the library was closed before the
//     reading, and becomes a module from the data that the walk read;
//   - without a build ID: if it lies at the same address, is the same file, and no library was loaded or closed between the
//     walk and the reading.
//
// Otherwise the object's frames have no module yet, and assignModules decides by their address, as for any other frame.
func (l *loaded) settleObjects(loads cgo.Loads) {
	g := region()
	for slot := range uint64(layout.Objects) {
		number := stack.ModuleID(layout.FirstObject + slot)
		if l.objects[number] != 0 {
			continue
		}
		o, ok := g.Object(number)
		if !ok {
			continue
		}
		if m := l.moduleOf(&o, &loads); m != nil {
			if l.objects == nil {
				l.objects = make(map[stack.ModuleID]stack.ModuleID)
			}
			l.objects[number] = m.ID
		}
	}
}

func (l *loaded) moduleOf(o *tables.Object, loads *cgo.Loads) *mappings.Module {
	if o.BuildID == "" {
		return l.listed(o, loads)
	}
	if i := slices.IndexFunc(l.all, func(m *mappings.Module) bool {
		return m.Bias == o.Bias && m.BuildID == o.BuildID && sameFile(m, o.Path)
	}); i >= 0 {
		return l.all[i]
	}
	m, err := l.number(closed(o))
	if err != nil {
		return nil
	}
	return m
}

// listed returns the module listed at the object's address if it must be the object, otherwise nil.
func (l *loaded) listed(o *tables.Object, loads *cgo.Loads) *mappings.Module {
	for _, m := range l.current {
		if m.Bias == o.Bias && m.BuildID == "" && sameFile(m.Module, o.Path) && loads.During(o.Loads) {
			return m.Module
		}
	}
	return nil
}

// sameFile reports whether the loader's path may lead to the module's file. A path that leads nowhere may.
func sameFile(m *mappings.Module, path string) bool {
	if path == "" || path == m.Path {
		return true
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil {
		resolved, err = filepath.Abs(resolved)
	}
	return err != nil || resolved == m.Path || os.SameFile(stat(resolved), stat(m.Path))
}

// stat returns the file's information; nil if there is no file.
func stat(path string) os.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// closed returns the module of a library that was closed before it was listed.
func closed(o *tables.Object) mappings.Module {
	code := mappings.Range{Start: mappings.RuntimeAddr(o.CodeStart), Limit: mappings.RuntimeAddr(o.CodeLimit)}
	if o.CodeLimit == 0 {
		code = mappings.Range{Start: mappings.RuntimeAddr(o.Start), Limit: mappings.RuntimeAddr(o.Limit)}
	}
	path := o.Path
	if absolute, err := filepath.Abs(path); path != "" && err == nil {
		path = absolute
	}
	return mappings.Module{Path: path, BuildID: o.BuildID, Bias: o.Bias, Ranges: []mappings.Range{code}}
}
