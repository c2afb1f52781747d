//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// loaded keeps the modules of a recording: their numbers, and their rows in the region.
type loaded struct {
	arena     arena
	all       []*mappings.Module // every module of the recording, at ID − 1
	current   []module           // in the index
	added     []module           // not in the index, because there was no room for another one
	index     extent
	published uint64
	lost      []error          // for each module that has no rows, why
	made      []mappings.Range // of the index: code made at run time
	loads     cgo.Loads
	loader    loader
	images    []cgo.Image                       // of the present update; nil until needed
	hadRows   bool                              // rows were made for waiting modules
	objects   map[stack.ModuleID]stack.ModuleID // the modules of objects; see met.go
}

// module is one that is loaded now.
type module struct {
	*mappings.Module
	rows   cgo.Rows
	extent extent
}

var _ [layout.ModuleMade]byte = [madeID]byte{}

// sameLoad reports whether two modules are the same file at the same addresses.
func sameLoad(a, b *mappings.Module) bool {
	return a.Path == b.Path && a.Bias == b.Bias && a.Device == b.Device &&
		a.Inode == b.Inode && len(a.Ranges) > 0 && len(b.Ranges) > 0 && a.Ranges[0].Start == b.Ranges[0].Start
}

// sameContents reports whether the file of two modules appears unchanged.
func sameContents(a, b *mappings.Module) bool {
	var unknown mappings.Written
	return a.BuildID == b.BuildID && (a.Written == b.Written || a.Written == unknown || b.Written == unknown)
}

// update takes the modules that are loaded now, and the result of cgo.ReadLoads from before they were listed. It publishes
// an index of them if they differ from the last time. An error means that the tables had no room for some of them; the
// others are published.
func (l *loaded) update(now []mappings.Module, loads cgo.Loads) (changed bool, err error) {
	if l.index.size == 0 {
		l.loader = newLoader(loads)
	} else {
		defer func() { l.loader.meet(l.all) }()
	}
	l.images = nil
	defer func() { l.images = nil }()
	now, made := apart(now)
	madeChanged := !slices.Equal(made, l.made)
	l.made = made
	next := make([]module, 0, len(now))
	changed = loads != l.loads
	loadedSince := loads.Count() != l.loads.Count()
	wanted := !l.hadRows && region().Load64(layout.HeaderAsked) >= layout.RowsWanted
	for i := range now {
		m, known := l.find(&now[i], loadedSince)
		if !known {
			var full error
			if m, full = l.add(now[i]); full != nil {
				err = full
				continue
			}
		}
		if known && !l.loader.fromStart(m.Module) && l.findGo(&m) {
			changed = true
		}
		if wanted && m.waits() {
			l.makeRows(&m)
			changed, l.hadRows = true, true
		}
		changed = changed || !l.indexed(m)
		next = append(next, m)
	}
	if !changed && len(next) == len(l.current) && l.index.size > 0 {
		if madeChanged {
			return false, cmp.Or(err, l.replace(next, loads))
		}
		return false, err
	}
	if l.index.size == 0 {
		l.loader.first, l.loader.met = len(l.all), len(l.all)
	}
	if full := l.replace(next, loads); full != nil {
		l.keep(next)
		return false, full
	}
	return true, err
}

// find looks a module up among the modules of the previous list, and updates what is new about its file. If the file has
// other contents, it was closed and loaded again, or else, if nothing has been loaded since, written over while in use.
func (l *loaded) find(now *mappings.Module, loadedSince bool) (module, bool) {
	for _, known := range [][]module{l.current, l.added} {
		i := slices.IndexFunc(known, func(m module) bool {
			return sameLoad(m.Module, now) && (!loadedSince || sameContents(m.Module, now))
		})
		if i >= 0 {
			l.renew(&known[i], *now)
			return known[i], true
		}
	}
	return module{}, false
}

// renew records what has happened to a module's file since it was loaded. Snapshots keep the old module.
func (l *loaded) renew(m *module, now mappings.Module) {
	if m.Deleted == now.Deleted {
		return
	}
	now.ID, now.BuildID, now.Written = m.ID, m.BuildID, m.Written
	m.Module = &now
	l.all[m.ID-1] = &now
}

func (l *loaded) indexed(m module) bool {
	return slices.ContainsFunc(l.current, func(c module) bool { return c.ID == m.ID })
}

// keep remembers the modules that could not be indexed, so that the next update does not treat them as new.
func (l *loaded) keep(next []module) {
	l.added = slices.DeleteFunc(next, l.indexed)
}

// add numbers a new module and builds its rows. The frames of a module without rows are walked by frame pointer.
func (l *loaded) add(m mappings.Module) (module, error) {
	numbered, err := l.number(m)
	if err != nil {
		return module{}, err
	}
	added := module{Module: numbered}
	l.findGo(&added)
	if added.rows.Image = l.image(numbered); !added.waits() {
		l.makeRows(&added)
	}
	return added, nil
}

// number assigns the next number to a new module and enters it in the region's table.
func (l *loaded) number(m mappings.Module) (*mappings.Module, error) {
	if len(l.all) == layout.ModuleMade-1 {
		return nil, fmt.Errorf("more than %d modules were loaded", layout.ModuleMade-1)
	}
	m.ID = stack.ModuleID(len(l.all) + 1)
	if err := l.enter(&m); err != nil {
		return nil, err
	}
	l.all = append(l.all, &m)
	return &m, nil
}

// enter writes the module's entry for readers of the region.
func (l *loaded) enter(m *mappings.Module) error {
	var start, limit uint64
	if n := len(m.Ranges); n > 0 {
		start, limit = uint64(m.Ranges[0].Start), uint64(m.Ranges[n-1].Limit)
	}
	size := layout.SizeofModule + len(m.BuildID) + len(m.Path)
	e, err := l.arena.reserve(size)
	if err != nil {
		return err
	}
	module := cgo.NewModule(start, limit, m.Bias, m.BuildID, m.Path)
	put(e.offset, []cgo.Module{module})
	copy(cgo.Region()[e.offset+layout.SizeofModule:], m.BuildID+m.Path)
	entry := region().Bytes(region().Load64(layout.HeaderModules)+4*uint64(m.ID), 4)
	if len(entry) < 4 {
		return errors.New("the tables were overwritten")
	}
	binary.NativeEndian.PutUint32(entry, uint32(e.offset/16))
	return nil
}

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
