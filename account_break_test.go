//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// glibc goes on behind what a program has added to its data segment, and a program may do so again. Other tests' recordings would not know
// of it, so the test runs in a process of its own.
func TestMemoryThatTheProgramTakesBySbrk(t *testing.T) {
	if profiletest.Afresh(t) {
		takeBySbrk(t)
	}
}

func takeBySbrk(t *testing.T) {
	const size, block, blocks = 3 << 20, 1000, 3000
	p := start(t, everything)
	a, err := p.Account()
	if err != nil || len(a.Malloc) != 1 {
		t.Fatal(a, err)
	}
	before := lineOf(t, p, account.MappedBy)
	runtime.LockOSThread() // its blocks lie in the data segment if it is the main thread
	defer runtime.UnlockOSThread()
	for i := range 3 {
		memory := victim.Extend(size)
		if memory == nil {
			t.Fatal("the data segment cannot grow")
		}
		clear(unsafe.Slice((*byte)(memory), size))
		for range blocks {
			defer victim.Free(profiletest.Leak(block))
		}
		a, err := p.Account()
		if err != nil || a.Partial != "" || a.Malloc[0].ReadError != "" {
			t.Fatal(a, err)
		}
		if got := lineOf(t, p, account.MappedBy) - before; got < int64(i+1)*size || got > int64(i+1)*size+size/2 {
			t.Errorf("%d bytes are mapped directly after %d calls", got, i+1)
		}
	}
	var b bytes.Buffer
	if err := p.Write(&b, Selection{View: ViewRSS()}); err != nil {
		t.Fatal(err)
	}
	seen, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(seen.Function, func(f *profile.Function) bool { return strings.HasSuffix(f.Name, "victim.Extend") }) {
		t.Error("no stack of the calls is in the view")
	}
}
