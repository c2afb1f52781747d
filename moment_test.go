//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"sync"
	"testing"
)

func TestAMomentIsReadByMany(t *testing.T) {
	p := start(t, everything)
	m, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	taken, err := p.recording.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	now := newHeaps(taken, false)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5000 {
				if since, err := m.compare(Growth, now); err != nil || !since.native.Start.Equal(m.Time()) {
					t.Errorf("it begins at %v: %v", since.native.Start, err)
					return
				}
			}
		})
	}
	all.Wait()
}
