//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math"
	"testing"
)

func TestBytesInProportionToObjects(t *testing.T) {
	for _, c := range []struct {
		objects uint64
		all     weight
		want    uint64
	}{
		{0, weight{1 << 16, 100 << 4}, 0},
		{1 << 16, weight{1 << 16, 100 << 4}, 100 << 4},
		{3 << 16, weight{7 << 16, 700 << 4}, 300 << 4},
		{1 << 60, weight{1 << 60, 1 << 59}, 1 << 59}, // a product of 120 bits
		{math.MaxUint64, weight{1, math.MaxUint64}, 0},
	} {
		if got := proportion(c.objects, c.all); got != c.want {
			t.Errorf("%d of %+v are %d bytes, want %d", c.objects, c.all, got, c.want)
		}
	}
}
