//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package leaktest

import "testing"

// A check of a test that does nothing: what a recording costs that is begun, read and ended.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		checked(b, func(testing.TB) {})
	}
}
