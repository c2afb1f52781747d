package goheap

import (
	"math"
	"testing"
)

func TestAnEstimateThatIsTooLargeIsTheLargestNumber(t *testing.T) {
	objects, bytes := scale(1<<40, 1<<44, 1<<62)
	if objects != math.MaxInt64 || bytes != math.MaxInt64 {
		t.Errorf("%d objects of %d bytes", objects, bytes)
	}
}
