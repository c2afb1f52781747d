//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "views", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not as in %s (-update writes it):\n%s", path, diff)
	}
}

func TestViews(t *testing.T) {
	p := start(t, everything)
	middle := profiletest.PlayTaking(t, p.Baseline)
	for name, s := range map[string]cgoheap.Selection{
		"inuse":          {},
		"allocated":      {View: cgoheap.ViewAllocated()},
		"peak":           {View: cgoheap.ViewPeak()},
		"shortlived":     {View: cgoheap.ViewShortLived(0)},
		"shortlived-10s": {View: cgoheap.ViewShortLived(10 * time.Second)},
		"growth":         {View: cgoheap.ViewGrowth(middle)},
		"delta":          {View: cgoheap.ViewDelta(middle)},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, profiletest.Readable(selected(t, p, s))) })
	}
}

func TestPeakIsForgottenOnDemand(t *testing.T) {
	p := start(t, everything)
	profiletest.Spike(1 << 20)
	peak := selected(t, p, cgoheap.Selection{View: cgoheap.ViewPeak()})
	if got := profiletest.Sum(profiletest.Through(peak, "Spike")); got[1] != 1<<20 {
		t.Errorf("at the peak: %v", got)
	}
	if !profiletest.HasComment(peak, "the highest moment was at 20") {
		t.Errorf("%q", peak.Comments)
	}
	if err := p.ResetPeak(); err != nil {
		t.Fatal(err)
	}
	if found := profiletest.Through(selected(t, p, cgoheap.Selection{View: cgoheap.ViewPeak()}), "Spike"); len(found) != 0 {
		t.Errorf("after the reset: %v", profiletest.Sum(found))
	}
}

func TestDeltasThatFollowEachOtherAddUp(t *testing.T) {
	p := start(t, everything)
	m, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for n := range 5 {
		for range n {
			profiletest.Garbage(50)
		}
		delta := selected(t, p, cgoheap.Selection{View: cgoheap.ViewDelta(m), Advance: true})
		got := profiletest.Sum(profiletest.Through(delta, "Garbage"))[0]
		if got != int64(n) {
			t.Errorf("delta %d has %d blocks", n, got)
		}
		sum += got
	}
	if all := profiletest.Sum(profiletest.Through(take(t, p), "Garbage"))[0]; all != sum {
		t.Errorf("the deltas have %d blocks, and all together are %d", sum, all)
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestDeltaThatWasNotWrittenIsNotLost(t *testing.T) {
	p := start(t, everything)
	m, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	profiletest.Garbage(50)
	if err := p.Write(closedWriter{}, cgoheap.Selection{View: cgoheap.ViewDelta(m), Advance: true}); err == nil {
		t.Fatal("no error")
	}
	if got := profiletest.Sum(profiletest.Through(selected(t, p, cgoheap.Selection{View: cgoheap.ViewDelta(m), Advance: true}), "Garbage"))[0]; got != 1 {
		t.Errorf("%d blocks", got)
	}
}

// Profiles that are taken at once and advance one baseline must not step back in time.
func TestBaselineThatManyAdvance(t *testing.T) {
	p := start(t, everything)
	m, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				profiletest.Leak(1)
				var written bytes.Buffer
				if err := p.Write(&written, cgoheap.Selection{View: cgoheap.ViewGrowth(m), Advance: true}); err != nil {
					t.Error(err)
					return
				}
				onlyGrew(t, profiletest.Parse(t, &written))
			}
		})
	}
	all.Wait()
}

func onlyGrew(t *testing.T, growth *profile.Profile) {
	if growth.DurationNanos < 0 {
		t.Errorf("a profile of %d ns", growth.DurationNanos)
	}
	for _, s := range profiletest.Through(growth, "Leak") {
		if s.Value[1] < 0 {
			t.Errorf("what only grows changed by %d bytes", s.Value[1])
		}
	}
}
