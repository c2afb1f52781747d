//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/symbolize"
)

// library builds a library of its own for the test. Without start files the loader has nothing to run in it when the
// process ends, and by then its code may be gone.
func library(t *testing.T, name string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	arguments := append(flags, "-O2", "-nostartfiles", "-fPIC", "-shared", "-o", path, "../victim/testdata/plugin.c")
	toolchain.Target(t).Build(t, "gcc", arguments...)
	return path
}

//go:noinline
func allocateIn(p victim.Plugin) unsafe.Pointer { return p.Call("plugin_calls_itself", 1000) }

// unprivileged runs a function on a thread that may not follow the kernel's own links to mapped files, as most programs.
func unprivileged(t *testing.T, run func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var before [2]unix.CapUserData
	if err := unix.Capget(&header, &before[0]); err != nil {
		t.Fatal(err)
	}
	without := before
	for _, capability := range []uint{unix.CAP_SYS_ADMIN, unix.CAP_CHECKPOINT_RESTORE} {
		without[capability/32].Effective &^= 1 << (capability % 32)
	}
	if err := unix.Capset(&header, &without[0]); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Capset(&header, &before[0]); err != nil {
			t.Fatal(err)
		}
	}()
	run()
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// page of text, as large as the first page of a library, which holds no code.
var page = bytes.Repeat([]byte("not an ELF file\n"), 4096/16)

// accidents are what can happen to a file while it is mapped, with the reason that its addresses then have no names.
var accidents = []struct {
	what   string
	happen func(t *testing.T, path string) error
	reason symbolize.Reason
}{
	{"deleted", func(_ *testing.T, path string) error { return os.Remove(path) }, symbolize.FileGone},
	{"replaced by another library", func(t *testing.T, path string) error {
		return os.Rename(library(t, "other.so", "-g"), path)
	}, symbolize.FileGone},
	{"replaced by a text", func(t *testing.T, path string) error {
		writeFile(t, path+".new", page)
		return os.Rename(path+".new", path)
	}, symbolize.FileGone},
	{"truncated to nothing", func(_ *testing.T, path string) error { return os.Truncate(path, 0) }, symbolize.NotELF},
	{"truncated to its header", func(_ *testing.T, path string) error { return os.Truncate(path, 64) }, symbolize.NotELF},
	{"overwritten by a text", func(_ *testing.T, path string) error {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.Write(page)
		return errors.Join(err, file.Close())
	}, symbolize.NotELF},
}

func TestFilesThatAreLost(t *testing.T) {
	for _, c := range accidents {
		t.Run("one that is "+c.what+" keeps its frames, and the reason is counted", func(t *testing.T) {
			path := library(t, "library.so")
			pristine, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p := start(t, everything)
			opened, err := victim.OpenPlugin(path) // never closed: what closing would read may be gone
			if err != nil {
				t.Fatal(err)
			}
			if err := p.WriteProfile(io.Discard); err != nil { // finds the library, and names nothing in it
				t.Fatal(err)
			}
			defer victim.Free(allocateIn(opened))
			if err := c.happen(t, path); err != nil {
				t.Fatal(err)
			}
			var taken *profile.Profile
			unprivileged(t, func() { taken = take(t, p) })
			checkUnnamed(t, taken, path, pristine)
			if !profiletest.HasComment(taken, "addresses without a name", c.reason.Sentence()) {
				t.Errorf("no comment says: %s\n%q", c.reason.Sentence(), taken.Comments)
			}
			if n := p.Stats().Value(counterName(c.reason)); n < 2 {
				t.Errorf("%d addresses were counted\n%s", n, p.Stats())
			}
		})
	}
}

func counterName(r symbolize.Reason) string {
	return map[symbolize.Reason]string{symbolize.FileGone: "file_gone", symbolize.NotELF: "not_ELF"}[r]
}

// checkUnnamed checks that the two frames of the library are unnamed, in an entry of their own, at the addresses that the
// symbol table of the file had said, and Go's frames named above them.
func checkUnnamed(t *testing.T, taken *profile.Profile, path string, pristine []byte) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "pristine.so")
	writeFile(t, copied, pristine)
	symbols := toolchain.Symbols(t, copied)
	for _, s := range profiletest.Through(taken, "allocateIn") {
		if size := s.NumLabel["bytes"]; len(size) != 1 || size[0] != 1000 {
			continue
		}
		for i, want := range []string{"plugin_malloc", "plugin_calls_itself"} {
			l := s.Location[i]
			if len(l.Line) != 0 || l.Mapping == nil || l.Mapping.File != path || l.Mapping.HasFunctions {
				t.Errorf("frame %d: %v in %+v", i, l.Line, l.Mapping)
			}
			if got := symbolAt(symbols, l.Address); got != want {
				t.Errorf("frame %d is at %#x, which is %q, want %q", i, l.Address, got, want)
			}
		}
		return
	}
	t.Error("no stack leads through the library into Go")
}

func symbolAt(symbols []elf.Symbol, address uint64) string {
	for _, s := range symbols {
		if address >= s.Value && address < s.Value+s.Size {
			return s.Name
		}
	}
	return ""
}
