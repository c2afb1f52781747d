//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"sort"
	"testing"
)

// A start needs the ranges of hundreds of functions, and each step is a look-up in Go's tables.
func TestTheEndOfAStretchIsFoundInFewSteps(t *testing.T) {
	for _, limit := range []int{0, 1, 2, 3, 100, 1000, 1 << 30} {
		for _, end := range []int{0, 1, 2, 3, 4, 5, 63, 64, 65, 99, 100, 101, 999, 1000, 1001, 1<<30 - 1, 1 << 30, 1<<30 + 1} {
			steps := 0
			is := func(n int) bool { steps++; return n >= end }
			want := sort.Search(limit, is)
			steps = 0
			if got := first(limit, is); got != want {
				t.Errorf("the first of %d from %d on is %d, want %d", limit, end, got, want)
			}
			if most := 17; end <= 255 && steps > most {
				t.Errorf("%d steps to %d, want at most %d", steps, end, most)
			}
		}
	}
}
