//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"strings"
	"testing"
	"time"
)

// An arena's lock is never given back: its thread is stopped.
func TestGlibcsSumsAreNotWaitedForForEver(t *testing.T) {
	defer func(before time.Duration) { patience = before }(patience)
	patience = time.Millisecond
	locked, ended := make(chan bool), make(chan bool)
	var k, again Kept
	k.bySums(func() glibcSums { <-locked; defer close(ended); return glibcSums{inUse: 1} })
	again.bySums(func() glibcSums { t.Error("a second thread waits too"); return glibcSums{} })
	for _, k := range []Kept{k, again} {
		if k.HasFigures || !strings.Contains(k.Unknown, "waiting for a lock") && !strings.Contains(k.Unknown, "waits for a lock") {
			t.Errorf("%+v", k)
		}
	}
	close(locked)
	<-ended
	for asking.Load() {
		time.Sleep(time.Millisecond)
	}
	patience = longEnough
	k.bySums(func() glibcSums { return glibcSums{100, 20, apartCounts{1, 3000}} })
	if !k.HasFigures || k.InUse != 3100 || k.Free != 20 || !k.Estimated() {
		t.Errorf("%+v", k)
	}
}
