//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/goparts"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// inStack reports whether an address lies in a part of a goroutine's stack that is in use.
func inStack(t *testing.T, address uint64) bool {
	t.Helper()
	parts, err := goparts.Read()
	if err != nil {
		t.Error(err)
	}
	return slices.ContainsFunc(parts, func(p goparts.Part) bool { return p.Stack && p.Start <= address && address < p.Limit })
}

// A goroutine's stack is divided where C calls back: the frames above the call are in use, too.
func TestTheStackAboveACallbackIsInUse(t *testing.T) {
	profiletest.WithoutCollections(t)
	for name, call := range map[string]func(func()){
		"from Go":               victim.CallBack,
		"from a thread of C's":  func(run func()) { _ = victim.OnThread(run) },
		"while it waits for Go": func(run func()) { victim.CallBack(func() { waitFor(run) }) },
	} {
		t.Run(name, func(t *testing.T) {
			growStack() // it does not move later
			var local uint64
			at := uint64(uintptr(unsafe.Pointer(&local)))
			above, below := false, false
			call(func() { above, below = aboveAndBelow(t, at) })
			if !above || !below {
				t.Errorf("a variable above the callback is in use: %v; one below: %v", above, below)
			}
			runtime.KeepAlive(&local)
		})
	}
}

//go:noinline
func growStack() byte {
	var room [128 << 10]byte
	for i := range room {
		room[i] = byte(i)
	}
	return room[len(room)/2]
}

func aboveAndBelow(t *testing.T, at uint64) (above, below bool) {
	inStack(t, 0)
	var local uint64
	above, below = inStack(t, at), inStack(t, uint64(uintptr(unsafe.Pointer(&local))))
	runtime.KeepAlive(&local)
	return above, below
}

func waitFor(run func()) {
	done := make(chan struct{})
	go func() { defer close(done); run() }()
	<-done
}
