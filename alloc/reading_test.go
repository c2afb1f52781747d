//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/testonly"
)

func TestStoppedThreadsKeepNobodyOut(t *testing.T) {
	const stopped, many = 1000, 1000
	r := start(t, everything)
	release, entered := testonly.Hold(stopped)
	blocks := make([]unsafe.Pointer, many)
	exact(blocks)
	inside := cgo.Crowd()
	release()
	if !entered || !crowded(inside) {
		t.Errorf("%d threads entered: %t, and %d were seen", stopped, entered, inside)
	}
	if n := sum(snapshot(t, r).through("exact")).InuseObjects; n != many {
		t.Errorf("%d of %d blocks are in use", n, many)
	}
	if n := value(t, r, "lost_gate_full"); n != 0 {
		t.Errorf("%d events were lost", n)
	}
	free(blocks)
}

// A profile that begins while threads happen to be outside of the gate sees them when they come.
func TestThreadsThatComeWhileAProfileIsWrittenGiveWay(t *testing.T) {
	r := start(t, everything)
	done := r.Reading()
	defer done()
	release, entered := testonly.Hold(1000)
	defer release()
	if !entered {
		t.Fatal("the gate is full")
	}
	asked := func() bool {
		readers.Lock()
		defer readers.Unlock()
		return readers.asked
	}
	for begin := time.Now(); !asked(); runtime.Gosched() {
		if time.Since(begin) > 10*time.Minute { // only a hang takes so long
			t.Fatal("nobody was asked to give way")
		}
	}
}
