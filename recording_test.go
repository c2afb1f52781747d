//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"io"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// everything records every allocation.
var everything = Config{SampleBytes: 1, TableBytes: 64 << 20}

// start begins to record until the end of the test.
func start(t *testing.T, c Config) *Profiler {
	t.Helper()
	return profiletest.Record(t, Start, c)
}

// take reads a profile back.
func take(t *testing.T, p *Profiler) *profile.Profile {
	t.Helper()
	return profiletest.Read(t, p.WriteProfile)
}

//go:noinline
func allocate(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

// selected reads back what a selection returns.
func selected(t *testing.T, p *Profiler, s Selection) *profile.Profile {
	t.Helper()
	return profiletest.Read(t, func(w io.Writer) error { return p.Write(w, s) })
}
