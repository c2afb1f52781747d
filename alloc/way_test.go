//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/testonly"
)

func TestStoppedThreadsKeepNobodyOut(t *testing.T) {
	const stopped, many = 1000, 1000
	r := start(t, everything)
	release, entered := testonly.Hold(stopped)
	blocks := make([]unsafe.Pointer, many)
	exact(blocks)
	crowded := r.crowded()
	release()
	if !entered || !crowded {
		t.Errorf("%d threads entered: %t, and were seen: %t", stopped, entered, crowded)
	}
	if n := sum(snapshot(t, r).through("exact")).InuseObjects; n != many {
		t.Errorf("%d of %d blocks are in use", n, many)
	}
	if n := value(t, r, "lost_gate_full"); n != 0 {
		t.Errorf("%d events were lost", n)
	}
	free(blocks)
}
