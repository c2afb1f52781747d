package symbolize

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// memory reads a line of /proc/self/status, in bytes.
func memory(t *testing.T, field string) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, found := strings.Cut(string(data), field+":")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil || !found {
		t.Skip("no ", field)
	}
	return kilobytes << 10
}

// A profile is often written when memory is nearly used up: what its names take for a moment may be the last drop. The
// library has 40,000 functions with 10 MB of names. They must not be read as a whole, and what is left in Go's heap must be
// little.
func TestTheFirstNamesOfALargeLibraryTakeLittleMemory(t *testing.T) {
	path, addresses := wordy(t, 40_000)
	addresses = every(8, addresses)
	s := New(Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	resident := memory(t, "VmRSS")
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins at what is resident now
		t.Skip(err)
	}
	for _, result := range s.Resolve(module(path), addresses) {
		if result.Reason != Named {
			t.Fatalf("%+v", result)
		}
	}
	peak := memory(t, "VmHWM") - resident
	runtime.ReadMemStats(&after)
	if peak > 16<<20 {
		t.Errorf("%d bytes more were resident at the peak, want at most 16 MiB", peak)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8<<20 {
		t.Errorf("%d bytes of Go's heap for %d names", allocated, len(addresses))
	}
	t.Logf("peak %d KiB, Go's heap %d KiB, %d addresses", peak>>10, (after.TotalAlloc-before.TotalAlloc)>>10, len(addresses))
}
