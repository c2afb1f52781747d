//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// In a snapshot, frames without a module get the only module that covers their address. Here they are as the walk left them.
func TestTheWalkKnowsTheModuleOfGoFrames(t *testing.T) {
	r := start(t, everything)
	defer victim.Free(allocate())
	if n := len(snapshot(t, r).through("allocate")); n != 1 {
		t.Fatalf("%d samples", n)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Snapshot{}
	s.Samples = r.reader(nil).Settled().Unpack()
	for _, sample := range s.through("allocate") {
		for _, f := range sample.Frames {
			if f.Module() == 0 {
				t.Errorf("%#x has no module", f.Address())
			}
		}
	}
}
