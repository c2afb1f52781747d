//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math"
	"math/bits"
)

// amount is a sum of weights in fixed point: 128 bits, two's complement. 64 bits hold 2^48 objects, which one site of a busy
// program allocates in weeks.
type amount struct {
	high, low uint64
}

// signed is the amount of a word that may be below zero.
func signed(word uint64) amount { return amount{uint64(int64(word) >> 63), word} }

func (a amount) plus(b amount) amount {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return amount{high, low}
}

func (a amount) negative() bool { return int64(a.high) < 0 }

// times multiplies an amount that is not negative. A product that is too large is the largest amount.
func (a amount) times(n uint64) amount {
	overflow, high := bits.Mul64(a.high, n)
	carried, low := bits.Mul64(a.low, n)
	high, carry := bits.Add64(high, carried, 0)
	if overflow != 0 || carry != 0 || int64(high) < 0 {
		return amount{math.MaxInt64, math.MaxUint64}
	}
	return amount{high, low}
}

// rounded is the whole number that an amount in units of 2^-fraction rounds to: up if its fraction and the threshold, which
// is below 1 in the same units, make 1. A number that is too large for an int64 is the largest.
func (a amount) rounded(fraction uint, threshold uint64) int64 {
	a = a.plus(amount{0, threshold})
	if whole := a.low>>fraction | a.high<<(64-fraction); a.high>>fraction == 0 && whole <= math.MaxInt64 {
		return int64(whole)
	}
	return math.MaxInt64
}
