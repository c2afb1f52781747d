//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"debug/elf"
	"os"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// meeting starts a recording that looks at the loaded files only at snapshots, if walks can meet libraries before they are
// listed.
func meeting(t *testing.T) *Recording {
	t.Helper()
	if !testonly.AllowObjects(true) {
		t.Skip("this C library cannot be asked without its locks which library an address lies in")
	}
	unwatched(t)
	return start(t, everything)
}

// whole checks that the only sample of blocks of this size begins in the library's function and reaches the test.
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
		r.look()
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
		s := snapshot(t, r)
		s.whole(t, 1001, path, "plugin_malloc")
		i := slices.IndexFunc(s.Modules, func(m *mappings.Module) bool { return m.Path == path })
		if i < 0 {
			t.Fatalf("there is no module of %s", path)
		}
		if got, want := s.Modules[i].Ranges, []mappings.Range{codeOf(t, path, s.Modules[i].Bias)}; !slices.Equal(got, want) {
			t.Errorf("its code is at %#x, want %#x", got, want)
		}
	})

	t.Run("have its module's number, not an object's, from the next look on", func(t *testing.T) {
		r := meeting(t)
		path := plugin(t)
		p := open(t, path)
		defer p.Close()
		defer victim.Free(early(p))
		r.look()
		defer victim.Free(late(p))
		s := snapshot(t, r)
		first, second := s.one(t, "early", 1001).Frames[0], s.one(t, "late", 1002).Frames[0]
		if first != second || int(second.Module()) > len(s.Modules) {
			t.Errorf("%#x and %#x, of %d modules", first, second, len(s.Modules))
		}
	})
}

// codeOf returns where a library with this bias has its executable segment.
func codeOf(t *testing.T, path string, bias uint64) mappings.Range {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			return mappings.Range{Start: mappings.RuntimeAddr(bias + p.Vaddr), Limit: mappings.RuntimeAddr(bias + p.Vaddr + p.Filesz)}
		}
	}
	t.Fatalf("%s has no code", path)
	return mappings.Range{}
}

// Assembly has no unwind data, and a walk needs the frame pointer there.
func TestFirstSamplesThroughAssembly(t *testing.T) {
	r := meeting(t)
	path := library(t, "bare")
	p := open(t, path)
	defer p.Close()
	defer victim.Free(p.Call("bare_calls_assembly", 100007))
	defer victim.Free(p.Call("bare_calls_misleading", 100008))
	r.refresh()
	defer victim.Free(p.Call("bare_calls_misleading", 100009))
	s := snapshot(t, r)

	s.whole(t, 100007, path, "bare_malloc")
	functions := s.functionsOf(t, 100007, path)
	if want := []string{"bare_malloc", "bare_assembly", "bare_calls_assembly"}; !slices.Equal(functions[:min(3, len(functions))], want) {
		t.Errorf("the stack begins with %q, want %q", functions, want)
	}
	for _, size := range []int64{100008, 100009} { // before and after the library is known
		functions = s.functionsOf(t, size, path)
		if want := []string{"bare_malloc", "bare_misleading"}; !slices.Equal(functions, want) {
			t.Errorf("%d: a frame pointer that leads to no return address: the stack is %q, want %q", size, functions, want)
		}
	}
}

// functionsOf returns the library's functions in the stack of the sample with blocks of this size, "" for other frames.
func (s *Snapshot) functionsOf(t *testing.T, size int64, path string) (names []string) {
	t.Helper()
	for _, sample := range s.Samples {
		if sample.BlockSize == size {
			for _, f := range sample.Frames {
				names = append(names, s.functionOf(t, f, path))
			}
		}
	}
	return names
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
	table := region().Load64(layout.HeaderObjects)
	for slot := range uint64(layout.Objects) {
		if ref := region().Load32(table + 4*slot); ref != 0 {
			bytes := region().Bytes(tables.Offset(ref), layout.SizeofObject)
			for i := range bytes {
				bytes[i] = 0xff
			}
		}
	}
	if s := snapshot(t, r); len(s.Samples) == 0 {
		t.Error("there are no samples")
	}
}
