package goheap

import "math"

// scale estimates all blocks of a size from the sampled ones, of which one was taken every rate bytes on average, at random.
// A block of s bytes is sampled with the probability
//
//	p = 1 − e^(−s/rate)
//
// so each sampled block stands for 1/p. All blocks of a record have one size, and it is exact to take it as the mean. At a
// rate of 1 every block was sampled; below 1, the probability is unknown, and the numbers are not changed. The formula, and
// that both products are cut to whole numbers, are the same as in scaleHeapSample of Go's runtime/pprof/protomem.go.
func scale(objects, bytes, rate int64) (int64, int64) {
	switch {
	case objects == 0 || bytes == 0:
		return 0, 0
	case rate <= 1:
		return objects, bytes
	}
	size := float64(bytes) / float64(objects)
	weight := 1 / (1 - math.Exp(-size/float64(rate)))
	return whole(float64(objects) * weight), whole(float64(bytes) * weight)
}

// whole returns a number without its fraction. A number that is too large becomes the largest.
func whole(v float64) int64 {
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}
