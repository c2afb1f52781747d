package fastgzip

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveCost is the size of a text in an optimal code: the sum of all pairs that joining the two rarest makes.
func naiveCost(counts []uint32) (cost uint64) {
	var queue []uint64
	for _, n := range counts {
		if n > 0 {
			queue = append(queue, uint64(n))
		}
	}
	for len(queue) > 1 {
		slices.Sort(queue)
		pair := queue[0] + queue[1]
		cost += pair
		queue = append(queue[2:], pair)
	}
	return cost
}

func randomCounts(random *rand.Rand) []uint32 {
	counts := make([]uint32, 2+random.IntN(literalSymbols-1))
	for i := range counts {
		counts[i] = random.Uint32() >> (12 + random.IntN(21)) // most of them far apart, many of them 0
	}
	return counts
}

func TestCodesAreOptimalWhereTheyAreNotTooLong(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	optimal := 0
	for range 500 {
		counts := randomCounts(random)
		counts[0], counts[1] = max(counts[0], 1), max(counts[1], 1)
		codes := make([]code, len(counts))
		if !setLengths(codes, counts, maxCodeBits) {
			continue
		}
		optimal++
		cost := uint64(0)
		for i, n := range counts {
			cost += uint64(n) * uint64(codes[i].length)
		}
		if want := naiveCost(counts); cost != want {
			t.Fatalf("%d bits, an optimal code takes %d", cost, want)
		}
	}
	if optimal < 20 {
		t.Errorf("only %d codes were short enough to compare", optimal)
	}
}

func TestCodesArePrefixFreeCompleteAndNotTooLong(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	fibonacci := []uint32{1, 1}
	for len(fibonacci) < 40 {
		fibonacci = append(fibonacci, fibonacci[len(fibonacci)-1]+fibonacci[len(fibonacci)-2])
	}
	for _, maxBits := range []int{maxLengthBits, maxCodeBits} {
		checkCodes(t, slices.Clone(fibonacci), maxBits)
		checkCodes(t, make([]uint32, 3), maxBits)
		checkCodes(t, []uint32{0, 0, 9}, maxBits)
		for range 100 {
			counts := randomCounts(random)
			checkCodes(t, counts[:min(len(counts), 1<<maxBits)], maxBits)
		}
	}
}

func checkCodes(t *testing.T, counts []uint32, maxBits int) {
	t.Helper()
	codes, wanted := make([]code, len(counts)), slices.Clone(counts)
	huffman(codes, counts, maxBits)
	leaves := 0 // of a complete tree of depth maxBits
	words := map[string]bool{}
	for i, c := range codes {
		if wanted[i] > 0 && c.length == 0 || int(c.length) > maxBits {
			t.Errorf("a symbol that occurs %d times has a code of %d bits", wanted[i], c.length)
		}
		if c.length > 0 {
			leaves += 1 << (maxBits - int(c.length))
			words[fmt.Sprintf("%0*b", c.length, bits.Reverse16(c.bits)>>(16-c.length))] = true
		}
	}
	if leaves != 1<<maxBits {
		t.Errorf("the codes fill %d of %d leaves", leaves, 1<<maxBits)
	}
	for word := range words {
		for n := 1; n < len(word); n++ {
			if words[word[:n]] {
				t.Errorf("%s begins with %s", word, word[:n])
			}
		}
	}
}
