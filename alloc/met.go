//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// A walk that meets a library before it is listed gives its frames the number of an object. Here, after each look at the
// list, objects become modules. The address alone does not say which: since the walk, the library may have been closed,
// and another one put in its place. So a module is the object's
//
//   - if it lies in the same place and has the same build ID. If no listed module does, the library was closed before the
//     look, and becomes a module by what the walk read of it;
//   - without a build ID: if it lies in the same place, is the same file, and no library was loaded or closed between the
//     walk and the look.
//
// Otherwise the object's frames have no module, and what is known of their address decides, as for any other.
func (l *loaded) settleObjects(loads cgo.Loads) {
	table := load64(cgo.HeaderObjects)
	for slot := range uint64(cgo.Objects) {
		number := stack.ModuleID(cgo.FirstObject + slot)
		ref := load32(table + 4*slot)
		if ref == 0 || l.met[number] != 0 {
			continue
		}
		o, ok := cgo.ParseObject(bytesAt(uint64(ref)*refUnit, cgo.ObjectSize))
		if !ok {
			continue
		}
		if m := l.moduleOf(&o, &loads); m != nil {
			if l.met == nil {
				l.met = make(map[stack.ModuleID]stack.ModuleID)
			}
			l.met[number] = m.ID
		}
	}
}

func (l *loaded) moduleOf(o *cgo.Object, loads *cgo.Loads) *mappings.Module {
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

// listed is the module that was listed at the object's place, if it must be the object; otherwise nil.
func (l *loaded) listed(o *cgo.Object, loads *cgo.Loads) *mappings.Module {
	for _, m := range l.current {
		if m.Bias == o.Bias && m.BuildID == "" && sameFile(m.Module, o.Path) && o.During(loads) {
			return m.Module
		}
	}
	return nil
}

// sameFile reports whether the loader's path may lead to the module's file. One that leads nowhere may.
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

// stat describes a file; nil if there is none.
func stat(path string) os.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// closed is the module of a library that was closed before it was listed.
func closed(o *cgo.Object) mappings.Module {
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
