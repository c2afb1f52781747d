package tables

import (
	"math"
	"math/bits"
)

// Amount is a sum of weights in fixed point: 128 bits, two's complement. 64 bits hold 2^48 objects, which one site of a busy
// program allocates in weeks.
type Amount struct {
	High, Low uint64
}

// signed returns the amount of a word that may be below zero.
func signed(word uint64) Amount { return Amount{uint64(int64(word) >> 63), word} }

// Plus returns the sum.
func (a Amount) Plus(b Amount) Amount {
	low, carry := bits.Add64(a.Low, b.Low, 0)
	high, _ := bits.Add64(a.High, b.High, carry)
	return Amount{high, low}
}

func (a Amount) negative() bool { return int64(a.High) < 0 }

// Times multiplies an amount that is not negative. A product that overflows becomes the largest amount.
func (a Amount) Times(n uint64) Amount {
	overflow, high := bits.Mul64(a.High, n)
	carried, low := bits.Mul64(a.Low, n)
	high, carry := bits.Add64(high, carried, 0)
	if overflow != 0 || carry != 0 || int64(high) < 0 {
		return Amount{math.MaxInt64, math.MaxUint64}
	}
	return Amount{high, low}
}

// Rounded rounds an amount in units of 2^-fraction to a whole number: up if its fraction plus the threshold, which is below
// 1 in the same units, reaches 1. A number too large for an int64 becomes the largest.
func (a Amount) Rounded(fraction uint, threshold uint64) int64 {
	a = a.Plus(Amount{0, threshold})
	if whole := a.Low>>fraction | a.High<<(64-fraction); a.High>>fraction == 0 && whole <= math.MaxInt64 {
		return int64(whole)
	}
	return math.MaxInt64
}
