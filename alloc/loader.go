//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/mappings"
)

// loader tracks the system's loader since the recording began: whether all that it loaded was found among the loaded files.
type loader struct {
	before, now uint64             // how many libraries it had loaded when the recording began, and at the last settle
	permanent   []uint64           // biases of libraries that cannot be unloaded
	first, met  int                // how many modules were found among the loaded files at the beginning, and until now
	others      []*mappings.Module // found since the beginning, but not in the loader's list
}

func newLoader(loads cgo.Loads) loader {
	return loader{before: loads.Count(), now: loads.Count(), permanent: cgo.PermanentBiases()}
}

// meet takes the modules found until now. Files that the program maps by itself are not the loader's, and a file that the
// loader is still loading has not been counted.
func (l *loader) meet(all []*mappings.Module) {
	l.others = append(l.others, all[l.met:]...)
	l.met = len(all)
	if len(l.others) == 0 {
		return
	}
	listed := cgo.LoadedBiases()
	l.others = slices.DeleteFunc(l.others, func(m *mappings.Module) bool { return slices.Contains(listed, m.Bias) })
}

// closable reports whether a module may be unloaded. Plugins may not: the Go runtime keeps pointers into them.
func (l *loader) closable(m *mappings.Module) bool { return !m.Plugin && !l.fromStart(m) }

// fromStart reports whether a module was loaded before the program began, and therefore cannot be unloaded.
func (l *loader) fromStart(m *mappings.Module) bool { return slices.Contains(l.permanent, m.Bias) }

// unseen reports whether libraries were loaded and closed again without having been found.
func (l *loader) unseen() bool { return l.now-l.before > uint64(l.met-l.first-len(l.others)) }

// only returns the one module that ever covered address; nil if there was none, or were or may have been several.
func (l *loaded) only(address mappings.RuntimeAddr) *mappings.Module {
	var found *mappings.Module
	for _, m := range l.all {
		if !m.Holds(address) {
			continue
		}
		if found != nil {
			return nil
		}
		found = m
	}
	if found != nil && l.loader.closable(found) && l.loader.unseen() {
		return nil
	}
	return found
}
