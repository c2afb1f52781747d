//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestABaselineIsReadByMany(t *testing.T) {
	p := start(t, everything)
	b, err := p.Baseline()
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
				if since, err := b.compare(ViewGrowth(b), now); err != nil || !since.native.Start.Equal(b.Time()) {
					t.Errorf("it begins at %v: %v", since.native.Start, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestABaselineThatNobodyTook(t *testing.T) {
	p := start(t, everything)
	b := new(Baseline)
	if when := b.Time(); !when.IsZero() {
		t.Errorf("it was taken at %v", when)
	}
	for _, v := range []View{ViewDelta(b), ViewGrowth(b)} {
		if err := p.Write(io.Discard, Selection{View: v, Advance: true}); err == nil || !strings.Contains(err.Error(), "not one that Profiler.Baseline returned") {
			t.Errorf("%v: %v", v, err)
		}
	}
}

func TestADeltaBeginsAtTheBaselineForEachThatSharesIt(t *testing.T) {
	p := start(t, everything)
	victim.Free(allocate(1000))
	shared, err := served{p}.Baselines(false)
	if err != nil {
		t.Fatal(err)
	}
	victim.Free(allocate(3000))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var written bytes.Buffer
			if err := p.Write(&written, Selection{View: ViewDelta(baselineOf(shared))}); err != nil {
				t.Error(err)
			}
			if found := profiletest.Sum(profiletest.Through(profiletest.Parse(t, &written), "allocate")); found != [4]int64{1, 3000, 0, 0} {
				t.Errorf("%v", found)
			}
		})
	}
	all.Wait()
}
