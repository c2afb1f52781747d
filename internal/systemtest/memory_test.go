//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// A first dump may take this much beside the 12 MiB of unpacked debug data: at any moment, and after it. What
// it allocates in Go's heap stays there until the next collection, which may be long after it. How much debug data a
// machine has for its libraries is another matter, so none is unpacked here.
const (
	mostOfDump  = 8 << 20
	mostAfter   = 2 << 20
	dumpedSites = 20_000
	noUnpacking = 1
)

func TestTheFirstDumpOf20000StacksTakesLittleMemory(t *testing.T) {
	for name, view := range map[string]cgoheap.View{"now": cgoheap.ViewInUse(), "the peak": cgoheap.ViewPeak(), "short-lived": cgoheap.ViewShortLived(0), "by age": cgoheap.ViewAge(0)} {
		t.Run(name, func(t *testing.T) {
			p := start(t, cgoheap.Config{SampleBytes: 1, UnpackBytes: noUnpacking})
			victim.Wander(dumpedSites, 1000, 1)
			var out bytes.Buffer
			out.Grow(4 << 20)
			runtime.GC()
			before, _ := scratch.Held()
			var at, after runtime.MemStats
			runtime.ReadMemStats(&at)
			if err := p.Write(&out, cgoheap.Selection{View: view}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			now, most := scratch.Held()
			allocated := int64(after.TotalAlloc - at.TotalAlloc)
			t.Logf("%d KiB in Go's heap, and %d KiB beside it", allocated>>10, (most-before)>>10)
			if allocated > mostAfter || most-before > mostOfDump-mostAfter || now != before {
				t.Errorf("%d bytes in Go's heap, %d beside it of which %d stay", allocated, most-before, now-before)
			}
			if profile, err := profile.Parse(&out); err != nil || view != cgoheap.ViewPeak() && view != cgoheap.ViewAge(0) && len(profile.Sample) < dumpedSites/2 {
				t.Errorf("%d samples, %v", len(profile.Sample), err)
			}
		})
	}
}

// The garbage collector does not look into scratch memory, so what holds pointers is not put there, but takes Go's heap.
func TestProfilesAskScratchMemoryForNoPointers(t *testing.T) {
	p := start(t, everything)
	since := profiletest.PlayTaking(t, p.Baseline)
	for _, s := range []cgoheap.Selection{
		{}, {MaxSamples: 2}, {GoHeap: true}, {View: cgoheap.ViewPeak()}, {View: cgoheap.ViewAge(0)}, {View: cgoheap.ViewShortLived(0)},
		{View: cgoheap.ViewGrowth(since), MaxBytes: 20_000}, {View: cgoheap.ViewDelta(since), GoHeap: true},
	} {
		if err := p.Write(io.Discard, s); err != nil {
			t.Fatal(err)
		}
	}
	profiletest.Ask(p.Handler(), "debug=1")
	if types := scratch.Heaped(); len(types) > 0 {
		t.Errorf("these lie in Go's heap: %q", types)
	}
}
