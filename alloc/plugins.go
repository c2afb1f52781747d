//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
)

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
