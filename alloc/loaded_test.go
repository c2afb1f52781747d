//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// list is a list of loaded files that a test changes as it likes: the true ones and others, below all of them, whose
// files are not there.
type list struct {
	t     *testing.T
	extra []mappings.Module
}

func (l *list) modules() ([]mappings.Module, error) {
	loaded, err := mappings.Self()
	if err != nil {
		l.t.Error(err)
	}
	return append(loaded, l.extra...), nil
}

// fake is a module of a page at page·4096 that has no file.
func fake(name string, page uint64) mappings.Module {
	start := mappings.RuntimeAddr(page << 12)
	return mappings.Module{Path: "/no/such/" + name, Bias: uint64(start), Inode: 1,
		Ranges: []mappings.Range{{Start: start, Limit: start + 4096}}}
}

// withList starts a recording of which the test says what is loaded.
func withList(t *testing.T, extra ...mappings.Module) (*Recording, *list) {
	t.Helper()
	l := &list{t, extra}
	o := everything
	o.Modules = l.modules
	return start(t, o), l
}

// at is the number of the last module with this path.
func (r *Recording) at(path string) stack.ModuleID {
	var id stack.ModuleID
	for _, m := range r.loaded.all {
		if m.Path == path {
			id = m.ID
		}
	}
	return id
}

func TestModules(t *testing.T) {
	t.Run("nothing changes while the same files are loaded", func(t *testing.T) {
		r, _ := withList(t, fake("a", 16))
		if known := len(r.loaded.all); r.look() || len(r.loaded.all) != known {
			t.Errorf("%d modules became %d", known, len(r.loaded.all))
		}
	})

	t.Run("rows are built once, whatever else comes and goes", func(t *testing.T) {
		r, l := withList(t)
		rows := func() map[stack.ModuleID]extent {
			places := make(map[stack.ModuleID]extent)
			for _, m := range r.loaded.current {
				places[m.ID] = m.extent
			}
			return places
		}
		before := rows()
		for _, extra := range [][]mappings.Module{{fake("a", 16)}, nil, {fake("b", 17)}} {
			l.extra = extra
			r.look()
		}
		after := rows()
		for id, place := range before {
			if after[id] != place {
				t.Errorf("rows of %s were at %v and are at %v", r.loaded.all[id-1].Path, place, after[id])
			}
		}
		if before[1].size == 0 {
			t.Error("the executable has no rows")
		}
	})

	t.Run("a file that is closed and loaded again has a new number", func(t *testing.T) {
		r, l := withList(t, fake("a", 16))
		first := r.at("/no/such/a")
		l.extra = nil
		if !r.look() {
			t.Error("closing it was no change")
		}
		l.extra = []mappings.Module{fake("a", 16)}
		if !r.look() || r.at("/no/such/a") == first {
			t.Errorf("numbers %d and %d", first, r.at("/no/such/a"))
		}
	})

	t.Run("an address belongs to the only file that ever covered it, and else to none", func(t *testing.T) {
		r, l := withList(t, fake("a", 16), fake("b", 17))
		if m := r.loaded.only(0x10800); m == nil || m.Path != "/no/such/a" {
			t.Errorf("%+v", m)
		}
		l.extra = []mappings.Module{fake("c", 16), fake("b", 17)}
		r.look()
		if m := r.loaded.only(0x10800); m != nil {
			t.Errorf("of two files, %s was chosen", m.Path)
		}
		if m := r.loaded.only(0x11800); m == nil || m.Path != "/no/such/b" {
			t.Errorf("%+v", m)
		}
		if m := r.loaded.only(0x12800); m != nil {
			t.Errorf("%s has what nobody covered", m.Path)
		}
	})
}

func TestFilesOfModules(t *testing.T) {
	t.Run("a file without rows is counted once, with the reason", func(t *testing.T) {
		r, l := withList(t)
		before := value(t, r, "modules_without_rows")
		l.extra = []mappings.Module{fake("a", 16)}
		for range 3 {
			r.look()
			snapshot(t, r)
		}
		if n := value(t, r, "modules_without_rows") - before; n != 1 {
			t.Errorf("counted %d times", n)
		}
		lost := r.loaded.lost[len(r.loaded.lost)-1].Error()
		if strings.Count(lost, "/no/such/a") != 1 {
			t.Errorf("the path is not there once: %s", lost)
		}
	})

	t.Run("a file that is deleted while it is loaded keeps its number, and is known to be deleted", func(t *testing.T) {
		a := fake("a", 16)
		r, l := withList(t, a)
		id, old := r.at("/no/such/a"), snapshot(t, r)
		a.Deleted = true
		l.extra = []mappings.Module{a}
		s := snapshot(t, r)
		if r.at("/no/such/a") != id || !s.Module(id).Deleted {
			t.Errorf("module %d became %d, %+v", id, r.at("/no/such/a"), s.Module(id))
		}
		if old.Module(id).Deleted {
			t.Error("an old snapshot changed")
		}
	})

	t.Run("a file that is written over while it is loaded keeps its number and its build ID", func(t *testing.T) {
		a := fake("a", 16)
		a.BuildID = "1111"
		r, l := withList(t, a)
		id := r.at("/no/such/a")
		a.BuildID, a.Written.Size = "2222", 7
		for _, deleted := range []bool{false, true} {
			a.Deleted = deleted
			l.extra = []mappings.Module{a}
			if m := snapshot(t, r).Module(id); r.at("/no/such/a") != id || m.BuildID != "1111" || m.Deleted != deleted {
				t.Errorf("module %d became %d, %+v", id, r.at("/no/such/a"), m)
			}
		}
		if m := r.loaded.only(0x10800); m == nil || m.ID != id {
			t.Errorf("its addresses belong to %+v", m)
		}
	})

	t.Run("a file that was written over and loaded again has a new number", func(t *testing.T) {
		for _, c := range []struct{ buildID, size string }{{"2222", ""}, {"", "larger"}} {
			a := fake("a", 16)
			a.Written.Size = 7
			r, l := withList(t, a)
			id := r.at("/no/such/a")
			if a.BuildID = c.buildID; c.size != "" {
				a.Written.Size++
			}
			l.extra = []mappings.Module{a}
			defer open(t, plugin(t)).Close()
			if r.look(); r.at("/no/such/a") == id {
				t.Errorf("%+v has number %d again", a, id)
			}
			r.Stop()
		}
	})
}

func TestModulesInFullTables(t *testing.T) {
	t.Run("files for which there is no room are tried once, said to be missing, and the others stay", func(t *testing.T) {
		r, l := withList(t)
		for cgoFree(1 << 10) {
		}
		known := len(r.loaded.all)
		for page := range uint64(1000) {
			l.extra = append(l.extra, fake(fmt.Sprint("library", page), 16+page))
		}
		for range 3 {
			r.look()
		}
		if value(t, r, "modules_left_out") == 0 {
			t.Error("nothing says so")
		}
		if n := len(r.loaded.all); n > known+1000 {
			t.Errorf("%d modules became %d", known, n)
		}
		if s := snapshot(t, r); s.Main == nil || s.Main.ID != 1 {
			t.Errorf("the executable is %+v", s.Main)
		}
		l.extra = nil
		if r.look(); value(t, r, "modules_left_out") != 0 {
			t.Error("it is still said when they are gone")
		}
	})
}

// cgoFree takes size bytes of the region, and says whether there were so many.
func cgoFree(size int) bool {
	_, ok := cgo.Reserve(size)
	return ok
}
