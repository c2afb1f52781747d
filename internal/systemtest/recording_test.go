//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"io"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

// everything records every allocation.
var everything = cgoheap.Config{SampleBytes: 1, TableBytes: 64 << 20}

// start begins to record until the end of the test.
func start(t *testing.T, c cgoheap.Config) *cgoheap.Profiler {
	t.Helper()
	return profiletest.Record(t, cgoheap.Start, c)
}

// take reads a profile back.
func take(t *testing.T, p *cgoheap.Profiler) *profile.Profile {
	t.Helper()
	return profiletest.Read(t, p.WriteProfile)
}

// selected reads back what a selection returns.
func selected(t *testing.T, p *cgoheap.Profiler, s cgoheap.Selection) *profile.Profile {
	t.Helper()
	return profiletest.Read(t, func(w io.Writer) error { return p.Write(w, s) })
}
