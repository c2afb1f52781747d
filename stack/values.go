package stack

import "math"

// Values are the four weights of a sample, in the order of Go's own heap profile: estimates of all that was allocated
// since the recording began, and of what is still in use, in blocks and in bytes.
type Values struct {
	AllocObjects, AllocBytes, InuseObjects, InuseBytes int64
}

// Add adds w to v. A sum that overflows becomes the largest number.
func (v *Values) Add(w Values) {
	v.AllocObjects = plus(v.AllocObjects, w.AllocObjects)
	v.AllocBytes = plus(v.AllocBytes, w.AllocBytes)
	v.InuseObjects = plus(v.InuseObjects, w.InuseObjects)
	v.InuseBytes = plus(v.InuseBytes, w.InuseBytes)
}

func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}
