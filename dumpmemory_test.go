//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/symbolize"
)

// What a first dump may take beside the 12 MiB that unpacked debug data may: so much at any moment, and so much after it. What
// it allocates in Go's heap stays there until the next collection, which may be long after it. How much debug data a
// machine has for its libraries is another matter, so none is unpacked here.
const (
	mostOfDump  = 8 << 20
	mostAfter   = 2 << 20
	dumpedSites = 20_000
	noUnpacking = 1
)

func TestTheFirstDumpOf20000StacksTakesLittleMemory(t *testing.T) {
	for name, view := range map[string]View{"now": InUse, "the peak": Peak, "short-lived": ShortLived, "by age": Age} {
		t.Run(name, func(t *testing.T) {
			p := start(t, Config{SampleBytes: 1, Names: symbolize.Options{UnpackBytes: noUnpacking}})
			victim.Wander(dumpedSites, 1000, 1)
			var out bytes.Buffer
			out.Grow(4 << 20)
			runtime.GC()
			before, _ := scratch.Held()
			var at, after runtime.MemStats
			runtime.ReadMemStats(&at)
			if err := p.Write(&out, Selection{View: view}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			now, most := scratch.Held()
			allocated := int64(after.TotalAlloc - at.TotalAlloc)
			t.Logf("%d KiB in Go's heap, and %d KiB beside it", allocated>>10, (most-before)>>10)
			if allocated > mostAfter || most-before > mostOfDump-mostAfter || now != before {
				t.Errorf("%d bytes in Go's heap, %d beside it of which %d stay", allocated, most-before, now-before)
			}
			if profile, err := profile.Parse(&out); err != nil || view != Peak && view != Age && len(profile.Sample) < dumpedSites/2 {
				t.Errorf("%d samples, %v", len(profile.Sample), err)
			}
		})
	}
}
