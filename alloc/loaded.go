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
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/unwind"
)

// loaded keeps the modules of a recording: their numbers, and their rows in the region.
type loaded struct {
	arena     arena
	all       []*mappings.Module // every module there ever was, at ID − 1
	current   []module           // in the index
	added     []module           // not in the index, because there was no room for another one
	index     extent
	published uint64
	lost      []error          // modules that have no rows, and why
	made      []mappings.Range // of the index: code made at run time
	loads     cgo.Loads
	loader    loader
	images    []cgo.Image                       // of the update that is being made; nil before they were asked for
	hadRows   bool                              // rows were made of modules that waited for that
	met       map[stack.ModuleID]stack.ModuleID // the modules of objects; see met.go
}

// module is one that is loaded now.
type module struct {
	*mappings.Module
	rows   cgo.Rows
	extent extent
}

// The shim reads rules as package unwind lays them out.
var _ [cgo.RuleSize]byte = [unsafe.Sizeof(unwind.Rule{})]byte{}

var _ [cgo.ModuleMade]byte = [madeID]byte{}

// samePlace reports whether two modules are the same file at the same place.
func samePlace(a, b *mappings.Module) bool {
	return a.Path == b.Path && a.Bias == b.Bias && a.Device == b.Device &&
		a.Inode == b.Inode && len(a.Ranges) > 0 && len(b.Ranges) > 0 && a.Ranges[0].Start == b.Ranges[0].Start
}

// sameContents reports whether the file of two modules has not been written over, as far as is known.
func sameContents(a, b *mappings.Module) bool {
	var unknown mappings.Written
	return a.BuildID == b.BuildID && (a.Written == b.Written || a.Written == unknown || b.Written == unknown)
}

// update takes the modules that are loaded now, and what cgo.ReadLoads gave before they were listed, and publishes an index
// of them if they are not those of the last time. The error says that the tables had no room for all of it; what there was
// room for is published.
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
	wanted := !l.hadRows && load64(cgo.HeaderAsked) >= cgo.RowsWanted
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

// find looks for a module among those that were there the last time, with what is new about its file. If the file has
// other contents, it was closed and loaded again, or else, if nothing has been loaded since, written over while in use.
func (l *loaded) find(now *mappings.Module, loadedSince bool) (module, bool) {
	for _, known := range [][]module{l.current, l.added} {
		i := slices.IndexFunc(known, func(m module) bool {
			return samePlace(m.Module, now) && (!loadedSince || sameContents(m.Module, now))
		})
		if i >= 0 {
			l.renew(&known[i], *now)
			return known[i], true
		}
	}
	return module{}, false
}

// renew takes what may have happened to a module's file, which stays known as it was loaded. Snapshots keep the module as
// it was.
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

// keep remembers the modules that could not be indexed, so that the next update does not take them for new ones.
func (l *loaded) keep(next []module) {
	l.added = slices.DeleteFunc(next, l.indexed)
}

// add numbers a new module and builds its rows. A module without rows is one whose
// frames are walked by frame pointer.
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

// number gives a new module the next number and enters it in the region's table.
func (l *loaded) number(m mappings.Module) (*mappings.Module, error) {
	if len(l.all) == cgo.ModuleMade-1 {
		return nil, fmt.Errorf("more than %d modules were loaded", cgo.ModuleMade-1)
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
	size := int(cgo.ModuleStrings) + len(m.BuildID) + len(m.Path)
	e, err := l.arena.reserve(size)
	if err != nil {
		return err
	}
	entry := cgo.NewModule(start, limit, m.Bias, m.BuildID, m.Path)
	put(e.offset, []cgo.Module{entry})
	copy(cgo.Region()[e.offset+uint64(cgo.ModuleStrings):], m.BuildID+m.Path)
	place := bytesAt(load64(cgo.HeaderModules)+4*uint64(m.ID), 4)
	if len(place) < 4 {
		return errors.New("the tables were overwritten")
	}
	binary.NativeEndian.PutUint32(place, uint32(e.offset/16))
	return nil
}

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

// store puts a table, which lies in scratch memory, into the region.
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

// replace publishes next; what only the old index used is retired.
func (l *loaded) replace(next []module, loads cgo.Loads) error {
	var ranges []cgo.Range
	for _, m := range next {
		m.rows.Closable = l.loader.closable(m.Module)
		for _, r := range m.Ranges {
			ranges = append(ranges, cgo.NewRange(uint64(r.Start), uint64(r.Limit), uint16(m.ID), m.rows))
		}
	}
	for _, r := range l.made {
		ranges = append(ranges, cgo.NewRange(uint64(r.Start), uint64(r.Limit), cgo.ModuleMade, cgo.Rows{Closable: true}))
	}
	slices.SortFunc(ranges, cgo.CompareRanges)
	size := int(unsafe.Sizeof(cgo.Index{})) + len(ranges)*int(unsafe.Sizeof(cgo.Range{}))
	e, err := l.arena.reserve(size + cgo.IndexCache)
	if err != nil {
		return err
	}
	cache := put(e.offset+uint64(unsafe.Sizeof(cgo.Index{})), ranges)
	l.published++
	put(e.offset, []cgo.Index{cgo.NewIndex(ranges, uint16(goModule(next)), l.published, cache, loads)})
	clear(cgo.Region()[cache : cache+cgo.IndexCache])
	cgo.Publish(e.offset)
	l.retire(next)
	l.arena.retire(l.index)
	l.index, l.current, l.added, l.loads = e, next, nil, loads
	return nil
}

// goModule is the number of the module that holds the program's own Go code; 0 where nothing is known.
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
