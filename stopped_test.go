//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"io"
	"net/http"
	"runtime"
	"testing"
	"weak"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/symbolize"
)

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// cycle records something, writes a profile and stops.
func cycle(t *testing.T) *Profiler {
	t.Helper()
	p, err := Start(everything)
	if err != nil {
		t.Fatal(err)
	}
	block := allocate(1000)
	defer victim.Free(block)
	if err := p.WriteProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAStoppedProfilerComparesNothing(t *testing.T) {
	for _, query := range []string{"seconds=1", "view=growth&seconds=1"} {
		if answer := profiletest.Ask(cycle(t).Handler(), query); answer.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", query, answer.Code, answer.Body)
		}
	}
}

// A timer that would forget names after half an hour kept each stopped profiler's until then.
func TestAStoppedProfilerKeepsNothing(t *testing.T) {
	const cycles = 40
	var kept [cycles]*Profiler
	var names [cycles]weak.Pointer[symbolize.Symbolizer]
	kept[0] = cycle(t)
	before := heapInUse()
	for i := 1; i < cycles; i++ {
		kept[i] = cycle(t)
		names[i] = weak.Make(kept[i].names)
	}
	const each = 9400 // bytes: a Profiler itself takes 8200, with its counters; and its names, few as they are here, 2400
	if grown := heapInUse() - before; grown > (cycles-1)*each {
		t.Errorf("%d stopped profilers keep %d bytes", cycles-1, grown)
	}
	clear(kept[:])
	heapInUse()
	for i := 1; i < cycles; i++ {
		if names[i].Value() != nil {
			t.Errorf("the names of profiler %d are kept though nobody has it", i)
		}
	}
}
