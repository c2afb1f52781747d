//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"testing"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// meeting starts a recording that looks at the loaded files only at snapshots, where walks can meet libraries before.
func meeting(t *testing.T) *Recording {
	t.Helper()
	if !cgo.AllowObjects(true) {
		t.Skip("this C library cannot be asked without its locks which library an address lies in")
	}
	unwatched(t)
	return start(t, everything)
}

// whole wants the one sample of blocks of this size to begin in the library's function and to reach the test.
func (s *Snapshot) whole(t *testing.T, size int64, path, function string) {
	t.Helper()
	for _, sample := range s.Samples {
		if sample.BlockSize != size {
			continue
		}
		if got := s.functionOf(t, sample.Frames[0], path); got != function {
			t.Errorf("a block of %d bytes was allocated in %q of %+v, want %s", size, got, s.Module(sample.Frames[0].Module()), function)
		}
		last := sample.Frames[len(sample.Frames)-1]
		if name := goFunction(last); name != "runtime.goexit" {
			t.Errorf("the stack of %d bytes ends in %q, %#x", size, name, last)
		}
		return
	}
	t.Errorf("no block of %d bytes", size)
}

func TestFirstSamplesThroughALibrary(t *testing.T) {
	t.Run("are whole, those of its constructors and destructors included", func(t *testing.T) {
		r := meeting(t)
		path := library(t, "constructor")
		p := open(t, path)
		snapshot(t, r).whole(t, 100003, path, "constructor_malloc")
		p.Close()
		snapshot(t, r).whole(t, 100005, path, "constructor_malloc")
		if n := value(t, r, "stacks_cut_no_module"); n != 0 {
			t.Errorf("%d stacks were cut", n)
		}
	})

	t.Run("are whole through libraries that were open before another one was", func(t *testing.T) {
		r := meeting(t)
		path := plugin(t)
		p := open(t, path)
		defer p.Close()
		r.Refresh()
		defer open(t, plugin(t, "-g")).Close()
		defer victim.Free(early(p))
		s := snapshot(t, r)
		s.one(t, "early", 1001)
		s.whole(t, 1001, path, "plugin_malloc")
	})

	t.Run("are named though it is closed and its file gone from the list", func(t *testing.T) {
		r := meeting(t)
		path := plugin(t)
		p := open(t, path)
		defer victim.Free(early(p))
		p.Close()
		snapshot(t, r).whole(t, 1001, path, "plugin_malloc")
	})

	t.Run("have its module's number, not an object's, from the next look on", func(t *testing.T) {
		r := meeting(t)
		path := plugin(t)
		p := open(t, path)
		defer p.Close()
		defer victim.Free(early(p))
		r.Refresh()
		defer victim.Free(late(p))
		s := snapshot(t, r)
		first, second := s.one(t, "early", 1001).Frames[0], s.one(t, "late", 1002).Frames[0]
		if first != second || int(second.Module()) > len(s.Modules) {
			t.Errorf("%#x and %#x, of %d modules", first, second, len(s.Modules))
		}
	})
}

// replaced opens first, allocates through it, closes it, and allocates through second in its place, all between two looks.
// It returns the first and second library's frames.
func replaced(t *testing.T, r *Recording, first, second string) (s *Snapshot, was, is stack.Frame) {
	t.Helper()
	p := open(t, first)
	block := early(p)
	p.Close()
	q := open(t, second)
	defer q.Close()
	other := late(q)
	s = snapshot(t, r)
	victim.Free(block)
	victim.Free(other)
	a, b := s.one(t, "early", 1001).Frames[0], s.one(t, "late", 1002).Frames[0]
	if a.Address() != b.Address() {
		t.Skipf("the second library was not put in the first one's place: %#x, %#x", a, b)
	}
	return s, a, b
}

func TestLibraryMetInAPlaceThatIsTakenAgain(t *testing.T) {
	for _, c := range []struct{ name, flag string }{{"with build IDs", "-Wl,--build-id"}, {"without build IDs", "-Wl,--build-id=none"}} {
		t.Run("is not taken for the other one, "+c.name, func(t *testing.T) {
			r := meeting(t)
			first, second := plugin(t, c.flag), plugin(t, "-g", c.flag)
			s, was, is := replaced(t, r, first, second)
			if m := s.Module(is.Module()); m == nil || m.Path != second {
				t.Errorf("the second library's frame is in %+v", m)
			}
			m := s.Module(was.Module())
			if m != nil && m.Path != first || m == nil && c.flag == "-Wl,--build-id" {
				t.Errorf("the first library's frame is in %+v", m)
			}
		})
	}

	t.Run("keeps its number when it is opened again there", func(t *testing.T) {
		r := meeting(t)
		path := plugin(t)
		s, was, is := replaced(t, r, path, path)
		if was != is {
			t.Errorf("%#x and %#x in %d modules", was, is, len(s.Modules))
		}
	})

	t.Run("is not taken for another file that was written to its path", func(t *testing.T) {
		r := meeting(t)
		path, other := plugin(t), plugin(t, "-g")
		p := open(t, path)
		defer p.Close()
		block := early(p)
		defer victim.Free(block)
		if err := os.Rename(other, path); err != nil {
			t.Fatal(err)
		}
		s := snapshot(t, r)
		m := s.Module(s.one(t, "early", 1001).Frames[0].Module())
		if m == nil || !m.Deleted {
			t.Errorf("its frame is in %+v", m)
		}
	})
}

func TestObjectsInDamagedTables(t *testing.T) {
	r := meeting(t)
	p := open(t, plugin(t))
	defer p.Close()
	block := early(p)
	defer victim.Free(block)
	table := load64(cgo.HeaderObjects)
	for slot := range uint64(cgo.Objects) {
		if ref := load32(table + 4*slot); ref != 0 {
			bytes := bytesAt(uint64(ref)*refUnit, cgo.ObjectSize)
			for i := range bytes {
				bytes[i] = 0xff
			}
		}
	}
	if s := snapshot(t, r); len(s.Samples) == 0 {
		t.Error("there are no samples")
	}
}
