package tables

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/layout"
)

func TestObjectsTellTheBytesOfOneSize(t *testing.T) {
	half := rounding{1 << 15, 1 << 15} // rounds to the nearest
	sum := func(objects, bytes uint64) Weight { return Weight{signed(objects), signed(bytes)} }
	const below = 1<<64 - 1<<16 // one less than nothing
	for _, c := range []struct {
		sum            Weight
		size           uint64
		objects, bytes int64
	}{
		{Weight{}, 100, 0, 0},
		{sum(3<<16, 0), 100, 3, 300},
		{sum(3<<16+1<<15, 0), 100, 4, 350},
		{sum(1<<40, 0), 1 << 30, 1 << 24, 1 << 54}, // a product of 70 bits
		{sum(3<<16, 500<<4), layout.SiteMixed, 3, 500},
		{sum(below, 0), 100, 0, 0},
		{sum(1<<16, below), layout.SiteMixed, 0, 0},
	} {
		if objects, bytes := half.numbers(c.sum, c.size); objects != c.objects || bytes != c.bytes {
			t.Errorf("%+v of size %d are %d objects of %d bytes, want %d of %d", c.sum, c.size, objects, bytes, c.objects, c.bytes)
		}
	}
}
