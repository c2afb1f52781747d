package stack

import "math"

// Spread has a variance for each of Values, which sampling makes. Variances of different samples add up, because blocks are
// sampled independently of each other.
type Spread struct {
	AllocObjects, AllocBytes, InuseObjects, InuseBytes float64
}

// Add adds w to v.
func (v *Spread) Add(w Spread) {
	v.AllocObjects += w.AllocObjects
	v.AllocBytes += w.AllocBytes
	v.InuseObjects += w.InuseObjects
	v.InuseBytes += w.InuseBytes
}

// Less returns the variance of the rest of a sum, of which w is that of a part.
func (v Spread) Less(w Spread) Spread {
	return Spread{max(0, v.AllocObjects-w.AllocObjects), max(0, v.AllocBytes-w.AllocBytes),
		max(0, v.InuseObjects-w.InuseObjects), max(0, v.InuseBytes-w.InuseBytes)}
}

// Spread estimates the variance of the sample's values, with so many bytes between samples on average.
//
// Of blocks of one size, each is sampled with the chance p and stands for w = 1/p blocks. A sampled one estimates the variance
// of a number of blocks by (1−p)/p² = w(w−1). The estimate of N blocks has N/w sampled ones, so theirs is N(w−1), without bias.
// Nothing else need be kept. Where sizes are mixed, w is that of their mean: that is an approximation, and so it is where the
// interval has changed.
func (s *Sample) Spread(interval int64) (v Spread) {
	if interval <= 1 {
		return v
	}
	v.AllocObjects, v.AllocBytes = s.spread(s.AllocObjects, s.AllocBytes, interval)
	v.InuseObjects, v.InuseBytes = s.spread(s.InuseObjects, s.InuseBytes, interval)
	return v
}

func (s *Sample) spread(objects, bytes, interval int64) (ofObjects, ofBytes float64) {
	if objects == 0 {
		return 0, 0
	}
	n, mean := math.Abs(float64(objects)), float64(bytes)/float64(objects)
	size := float64(s.BlockSize)
	if s.BlockSize == MixedSizes {
		size = mean
	}
	more := 1/-math.Expm1(-(size+1)/float64(interval)) - 1
	return n * more, n * more * mean * mean
}

// Half returns half of the 95 % interval of an estimate with a variance.
func Half(variance float64) float64 { return 1.96 * math.Sqrt(variance) }
