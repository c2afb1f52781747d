//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// replace publishes next, and retires what only the old index used.
func (l *loaded) replace(next []module, loads cgo.Loads) error {
	var ranges []cgo.Range
	for _, m := range next {
		m.rows.Closable = l.loader.closable(m.Module)
		for _, r := range m.Ranges {
			ranges = append(ranges, cgo.NewRange(uint64(r.Start), uint64(r.Limit), uint16(m.ID), m.rows))
		}
	}
	for _, r := range l.made {
		ranges = append(ranges, cgo.NewRange(uint64(r.Start), uint64(r.Limit), layout.ModuleMade, cgo.Rows{Closable: true}))
	}
	slices.SortFunc(ranges, cgo.CompareRanges)
	size := int(unsafe.Sizeof(cgo.Index{})) + len(ranges)*int(unsafe.Sizeof(cgo.Range{}))
	e, err := l.arena.reserve(size + layout.RuleCache)
	if err != nil {
		return err
	}
	cache := put(e.offset+uint64(unsafe.Sizeof(cgo.Index{})), ranges)
	l.published++
	put(e.offset, []cgo.Index{cgo.NewIndex(ranges, uint16(goModule(next)), l.published, cache, loads)})
	clear(cgo.Region()[cache : cache+layout.RuleCache])
	cgo.Publish(e.offset)
	l.retire(next)
	l.arena.retire(l.index)
	l.index, l.current, l.added, l.loads = e, next, nil, loads
	return nil
}

// goModule returns the number of the module that holds the program's own Go code; 0 if unknown.
func goModule(modules []module) stack.ModuleID {
	for _, m := range modules {
		if m.HoldsProgram() {
			return m.ID
		}
	}
	return 0
}

func (l *loaded) retire(next []module) {
	for _, old := range slices.Concat(l.current, l.added) {
		if !slices.ContainsFunc(next, func(m module) bool { return m.ID == old.ID }) {
			l.arena.retire(old.extent)
		}
	}
}
