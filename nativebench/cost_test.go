//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package nativebench_test

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/nativebench"
)

// BenchmarkCost is a pair of malloc and free, each called by Go. With CGOHEAP=off nothing is recorded.
func BenchmarkCost(b *testing.B) {
	nativebench.Report(b)
	for b.Loop() {
		victim.Free(victim.Malloc(64))
	}
}
