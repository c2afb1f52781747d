package tables

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactly is the amount as a number without bounds.
func exactly(a Amount) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(int64(a.High)), 64)
	return n.Add(n, new(big.Int).SetUint64(a.Low))
}

// clamped is a number, or the largest that there is.
func clamped(n, largest *big.Int) *big.Int {
	if n.Cmp(largest) > 0 {
		return largest
	}
	return n
}

// anyAmount is one that is not negative, of any number of digits.
func anyAmount(random *rand.Rand) Amount {
	return Amount{random.Uint64() >> (1 + random.IntN(64)), random.Uint64() >> random.IntN(64)}
}

func TestAmountsAgainstNumbersWithoutBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	largest := exactly(Amount{math.MaxInt64, math.MaxUint64})
	for range 100_000 {
		a, n, fraction := anyAmount(random), random.Uint64()>>random.IntN(64), uint(1+random.IntN(16))
		if got, want := exactly(a.Times(n)), clamped(new(big.Int).Mul(exactly(a), new(big.Int).SetUint64(n)), largest); got.Cmp(want) != 0 {
			t.Fatalf("%v times %d is %v, want %v", a, n, got, want)
		}
		threshold := random.Uint64() & (1<<fraction - 1)
		a.High >>= 1 // there is room for the threshold
		want := new(big.Int).Add(exactly(a), new(big.Int).SetUint64(threshold))
		want = clamped(want.Rsh(want, fraction), big.NewInt(math.MaxInt64))
		if got := a.Rounded(fraction, threshold); got != want.Int64() {
			t.Fatalf("%v of %d bits, rounded by %d, is %d, want %d", a, fraction, threshold, got, want)
		}
	}
}

func TestSumsOfAmountsCarry(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		a, b := anyAmount(random), signed(random.Uint64())
		a.High >>= 1
		if got, want := exactly(a.Plus(b)), new(big.Int).Add(exactly(a), exactly(b)); got.Cmp(want) != 0 {
			t.Fatalf("%v and %v are %v, want %v", a, b, got, want)
		}
	}
	if !signed(1<<63).negative() || signed(1<<63-1).negative() {
		t.Error("the sign is that of the word")
	}
}
