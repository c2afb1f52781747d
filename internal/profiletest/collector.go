package profiletest

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// WithoutCollections has Go's collector rest until the test ends, and waits for a collection that has begun: it would move stacks, because
// it shrinks them, and free what the test has dropped.
func WithoutCollections(t testing.TB) {
	t.Helper()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	runtime.GC()
}
