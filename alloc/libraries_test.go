//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

//go:noinline
func early(p victim.Plugin) unsafe.Pointer { return p.Call("plugin_calls_itself", 1001) }

//go:noinline
func late(p victim.Plugin) unsafe.Pointer { return p.Call("plugin_calls_itself", 1002) }

// one is the only sample of blocks of this size through the function.
func (s *Snapshot) one(t *testing.T, function string, size int64) stack.Sample {
	t.Helper()
	var found []stack.Sample
	for _, sample := range s.through(function) {
		if sample.BlockSize == size {
			found = append(found, sample)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d samples of %d bytes through %q", len(found), size, function)
	}
	return found[0]
}

// unwatched makes recordings that begin from now on look for libraries only at snapshots and when the test asks for it.
func unwatched(t *testing.T) {
	before := await
	await = func(cgo.Reason, func(cgo.Reason)) (func(), error) { return nil, syscall.EAGAIN }
	t.Cleanup(func() { await = before })
}

// unmet has walks end in libraries that no look has found yet, as they do where glibc is older than 2.35.
func unmet(t *testing.T) {
	testonly.AllowObjects(false)
	t.Cleanup(func() { testonly.AllowObjects(true) })
}

func TestLibrariesLoadedDuringARecording(t *testing.T) {
	unwatched(t)
	unmet(t)
	path := plugin(t)
	r := start(t, everything)
	p := open(t, path)
	defer p.Close()
	defer victim.Free(early(p))

	t.Run("a stack that ends in an unknown library is counted, and its frame gets its module later", func(t *testing.T) {
		s := snapshot(t, r)
		if value(t, r, "stacks_cut_no_module") == 0 {
			t.Error("no stack was counted as cut")
		}
		for _, sample := range s.Samples {
			if sample.BlockSize == 1001 && s.functionOf(t, sample.Frames[0], path) == "plugin_malloc" {
				return
			}
		}
		t.Error("no sample of 1001 bytes begins in plugin_malloc")
	})

	t.Run("once it is known, stacks go through it into Go", func(t *testing.T) {
		defer victim.Free(late(p))
		s := snapshot(t, r)
		frames := s.one(t, "late", 1002).Frames
		for i, want := range []string{"plugin_malloc", "plugin_calls_itself"} {
			if got := s.functionOf(t, frames[i], path); got != want {
				t.Errorf("frame %d is %q, want %q", i, got, want)
			}
		}
	})
}

//go:noinline
func zeroes(p victim.Plugin) unsafe.Pointer { return p.Call("zeroes_malloc", 1003) }

// Only a g shows that asmcgocall left the words on the stack.
func TestZeroesOnTheStackOfALibraryAreNoCallFromGo(t *testing.T) {
	path := library(t, "zeroes")
	r := start(t, everything)
	p := open(t, path)
	defer p.Close()
	snapshot(t, r) // after it, the library is known
	defer victim.Free(zeroes(p))
	snapshot(t, r).one(t, "zeroes", 1003)
}

func TestWakingTheWatch(t *testing.T) {
	t.Run("a sample in unknown code has the loaded files read, without a snapshot", func(t *testing.T) {
		path := plugin(t)
		r, reads := startCounting(t)
		before := reads.Load()
		p := open(t, path)
		defer p.Close()
		defer victim.Free(early(p))
		eventually(t, "the watch read the loaded files", func() bool { return reads.Load() > before })
		eventually(t, "the library was known", func() bool { return r.knows(path) })
		if value(t, r, "module_wakes") == 0 {
			t.Error("the wake was not counted")
		}
	})

	t.Run("so has one elsewhere, after a library was opened: walks learn nothing until the index is of today", func(t *testing.T) {
		path := plugin(t)
		r := start(t, everything)
		p := open(t, path)
		defer p.Close()
		defer victim.Free(victim.Malloc(1003))
		eventually(t, "the library was known", func() bool { return r.knows(path) })
	})
}

// knows reports whether the module is among those that are loaded now.
func (r *Recording) knows(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.loaded.current {
		if m.Path == path {
			return true
		}
	}
	return false
}

func TestOneAddressTwoLibraries(t *testing.T) {
	unwatched(t)
	t.Run("each frame keeps the library that was there when it was taken", func(t *testing.T) {
		first, second := plugin(t), plugin(t, "-g")
		r := start(t, everything)
		p := open(t, first)
		r.look()
		block := early(p)
		p.Close()
		q := open(t, second)
		defer q.Close()
		r.look()
		other := late(q)
		s := snapshot(t, r)
		victim.Free(block)
		victim.Free(other)

		was, is := s.one(t, "early", 1001).Frames[0], s.one(t, "late", 1002).Frames[0]
		if got := s.functionOf(t, was, first); got != "plugin_malloc" {
			t.Errorf("the first library's frame is %q in %+v", got, s.Module(was.Module()))
		}
		if got := s.functionOf(t, is, second); got != "plugin_malloc" {
			t.Errorf("the second library's frame is %q in %+v", got, s.Module(is.Module()))
		}
		if was.Address() != is.Address() {
			t.Skipf("the second library was not put in the first one's place: %#x, %#x", was.Address(), is.Address())
		}
	})
}

func TestOneAddressTwoLibrariesBetweenTwoLooks(t *testing.T) {
	unwatched(t)
	unmet(t)
	t.Run("a library is not taken for the one whose place it took", func(t *testing.T) {
		first, second := plugin(t), plugin(t, "-g")
		r := start(t, everything)
		p := open(t, first)
		r.look()
		block := early(p)
		p.Close()
		q := open(t, second)
		defer q.Close()
		other := late(q)
		s := snapshot(t, r)
		victim.Free(block)
		victim.Free(other)

		for _, sample := range s.Samples {
			if sample.BlockSize != 1002 {
				continue
			}
			if m := s.Module(sample.Frames[0].Module()); m != nil && m.Path == first {
				t.Errorf("a block of the second library's was allocated in %s", m.Path)
			}
			return
		}
		t.Error("the block is missing")
	})

	t.Run("nor if one came and went while the list was read", func(t *testing.T) {
		first, second := plugin(t), plugin(t, "-g")
		o := everything
		var block unsafe.Pointer
		var p, q victim.Plugin
		reading := false
		o.Modules = func() ([]mappings.Module, error) {
			if reading {
				reading = false
				p = open(t, first)
				block = early(p)
				p.Close()
				q = open(t, second)
			}
			return modules()
		}
		r := start(t, o)
		reading = true
		s := snapshot(t, r)
		defer q.Close()
		victim.Free(block)
		for _, sample := range s.Samples {
			if sample.BlockSize != 1001 {
				continue
			}
			if m := s.Module(sample.Frames[0].Module()); m != nil {
				t.Errorf("a block of the first library's was allocated in %s", m.Path)
			}
			return
		}
		t.Error("the block is missing")
	})

	t.Run("where one was opened and closed unseen, an address does not tell the library", func(t *testing.T) {
		r, _ := withList(t, fake("a", 16))
		if m := r.loaded.only(0x10800); m == nil {
			t.Fatal("a is not at its address")
		}
		p := open(t, plugin(t))
		p.Close()
		r.look()
		if m := r.loaded.only(0x10800); m != nil {
			t.Errorf("it says %s", m.Path)
		}
		main := r.loaded.current[0]
		if m := r.loaded.only(main.Ranges[0].Start); m == nil || m.ID != main.ID {
			t.Errorf("the executable's address says %v", m)
		}
	})
}

func TestOpeningAndClosingOften(t *testing.T) {
	unwatched(t) // whether there is one index more depends on when the watch looks
	t.Run("tables grow by a library's entry each time it is loaded, not by its rows", func(t *testing.T) {
		path := plugin(t)
		r := start(t, everything)
		cycle := func() {
			p := open(t, path)
			r.look()
			p.Close()
			r.look()
		}
		for range 10 {
			cycle()
		}
		m := r.loaded.all[len(r.loaded.all)-1]
		entry := uint64(layout.SizeofModule+len(m.BuildID)+len(m.Path)+63) &^ 63
		before := value(t, r, "table_bytes")
		for range 100 {
			cycle()
		}
		if grown := value(t, r, "table_bytes") - before; grown > 2*100*entry { // cutting leaves pieces too small for anything
			t.Errorf("100 times open and close took %d bytes", grown)
		}
	})
}

func TestUnreadableList(t *testing.T) {
	t.Run("the snapshot says so, and its weights are right", func(t *testing.T) {
		o := everything
		o.Modules = func() ([]mappings.Module, error) { return nil, errors.New("no permission") }
		r := start(t, o)
		block := victim.Malloc(1003)
		s := snapshot(t, r)
		victim.Free(block)
		if s.Main != nil || len(s.Modules) != 0 {
			t.Errorf("modules from nowhere: %v, %v", s.Main, s.Modules)
		}
		var found bool
		for _, l := range s.Losses {
			found = found || l.Name == "maps_unreadable" && l.Count == 1
		}
		if !found {
			t.Errorf("not among the losses: %v", s.Losses)
		}
		for _, sample := range s.Samples {
			if sample.BlockSize == 1003 {
				if len(sample.Frames) == 0 || sample.InuseBytes != 1003 {
					t.Errorf("%+v", sample)
				}
				return
			}
		}
		t.Error("the block is missing")
	})

	t.Run("no stack is said to have been stopped by the end of the recording", func(t *testing.T) {
		o := everything
		o.Modules = func() ([]mappings.Module, error) { return nil, errors.New("no permission") }
		r := start(t, o)
		victim.Free(victim.Malloc(1003))
		if n := value(t, r, "stacks_cut_stopped"); n != 0 {
			t.Errorf("%d are", n)
		}
	})
}

// Code buffers of libvips: a file that is deleted at once and mapped.
func TestCodeInADeletedFileIsNoLibrary(t *testing.T) {
	unwatched(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "orcexec.test"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := errors.Join(os.Remove(file.Name()), file.Truncate(65536)); err != nil {
		t.Fatal(err)
	}
	code, err := syscall.Mmap(int(file.Fd()), 0, 65536, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(code); err != nil {
			t.Error(err)
		}
	}()
	r := start(t, everything)
	known := false
	for _, m := range snapshot(t, r).Modules {
		known = known || strings.Contains(m.Path, "orcexec.test")
	}
	if n := value(t, r, "modules_without_rows"); n != 0 || !known {
		t.Errorf("%d files without unwind data, listed: %t\n%v", n, known, r.Counters())
	}
}
