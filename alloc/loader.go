//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/mappings"
)

// loader keeps what the system's loader has done since a recording began: whether all that it loaded was found among the
// loaded files.
type loader struct {
	before, now uint64             // how many libraries it had loaded when the recording began, and when samples were last taken over
	forever     []uint64           // biases of libraries that cannot be unloaded
	first, met  int                // modules that were found among the loaded files at the beginning, and until now
	others      []*mappings.Module // of those since the beginning: not seen in the loader's list
}

func newLoader(loads cgo.Loads) loader {
	return loader{before: loads.Count(), now: loads.Count(), forever: cgo.Forever()}
}

// meet takes the modules that were found until now. Files that the program maps by itself are not the loader's, and one
// that the loader is still busy with has not been counted.
func (l *loader) meet(all []*mappings.Module) {
	l.others = append(l.others, all[l.met:]...)
	l.met = len(all)
	if len(l.others) == 0 {
		return
	}
	listed := cgo.Listed()
	l.others = slices.DeleteFunc(l.others, func(m *mappings.Module) bool { return slices.Contains(listed, m.Bias) })
}

// closable says whether a module may be unloaded. The Go runtime keeps pointers into plugins for ever.
func (l *loader) closable(m *mappings.Module) bool { return !m.Plugin && !l.fromStart(m) }

// fromStart says whether a module was loaded before the program began, and cannot be unloaded for that reason.
func (l *loader) fromStart(m *mappings.Module) bool { return slices.Contains(l.forever, m.Bias) }

// unseen says whether libraries were loaded and closed again without having been found.
func (l *loader) unseen() bool { return l.now-l.before > uint64(l.met-l.first-len(l.others)) }

// only is the one module that ever covered address; nil if there were none or several, or may have been.
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
