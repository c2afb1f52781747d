//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// boxed returns options with a file, and the file.
func boxed(t *testing.T) (Options, *os.File) {
	t.Helper()
	o := everything
	file, err := os.Create(filepath.Join(toolchain.Memory(t), "box"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if err := file.Truncate(o.TableBytes); err != nil {
		t.Fatal(err)
	}
	o.File = func() File {
		pages, err := unix.MmapPtr(int(file.Fd()), 0, nil, uintptr(o.TableBytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		return File{Pages: pages, Path: file.Name()}
	}
	o.About = []byte("a description")
	return o, file
}

func TestTablesInAFile(t *testing.T) {
	for range 2 {
		o, file := boxed(t)
		r := start(t, o)
		block := victim.Malloc(1013)
		defer victim.Free(block)
		if s, _ := snapshot(t, r).stackOf(t, 1013); len(s) == 0 {
			t.Error("no stack")
		}
		text := make(tables.Region, 1<<20)
		if _, err := file.ReadAt(text, 0); err != nil {
			t.Fatal(err)
		}
		if text.Load64(layout.HeaderMagic) != layout.Magic || text.Counted(layout.CountStacks) == 0 {
			t.Error("the tables are not in the file")
		}
		about := make([]byte, text.Load64(layout.HeaderAboutSize))
		if _, err := file.ReadAt(about, int64(text.Load64(layout.HeaderAbout))); string(about) != "a description" {
			t.Errorf("%q, %v", about, err)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(file.Name()); err != nil {
			t.Error(err)
		}
	}
}

func TestPagesThatTheDiskHasNoRoomForAreCounted(t *testing.T) {
	o, file := boxed(t)
	r := start(t, o)
	missing := func() uint64 {
		list := r.Counters()
		return list[slices.IndexFunc(list, func(l stack.Loss) bool { return l.Name == "blackbox_pages_missing" })].Count
	}
	if n := missing(); n != 0 {
		t.Errorf("%d pages are missing at first", n)
	}
	if _, err := file.WriteAt([]byte{3, 0}, layout.HeaderMissing); err != nil { // as the handler of SIGBUS does
		t.Fatal(err)
	}
	if n := missing(); n != 3 {
		t.Errorf("%d pages are missing, want 3", n)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if n := missing(); n != 3 {
		t.Errorf("after Stop, %d", n)
	}
}

func TestAFileThatBecomesShorter(t *testing.T) {
	o, file := boxed(t)
	r := start(t, o)
	victim.Free(victim.Malloc(1013))
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		victim.Free(victim.Malloc(1013))
	}
	for range 2 {
		if s, err := r.Snapshot(); !errors.Is(err, errBoxLost) {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	r = start(t, everything)
	perform(func() { victim.Free(victim.Malloc(1014)) })
	recordedSites(t, r, map[string]stack.Values{"victim_malloc": passed(1, 1014)})
}

// Go code that reads a mapped file asks for a panic where the file has become shorter. The handler of the box stands before Go's.
func TestAPanicOnFaultStaysOneWithABox(t *testing.T) {
	o, _ := boxed(t)
	start(t, o)
	file, err := os.Create(filepath.Join(t.TempDir(), "short"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1); err != nil {
		t.Fatal(err)
	}
	page, err := unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page)
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if fault, ok := faultOf(page).(interface{ Addr() uintptr }); !ok || fault.Addr() != uintptr(unsafe.Pointer(&page[0])) {
			t.Errorf("%v at %p", fault, page)
		}
	}
}

// faultOf returns what the panic says when the page is read.
func faultOf(page []byte) (fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	return page[0]
}
