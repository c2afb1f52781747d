package account

import (
	"math/rand/v2"
	"testing"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// The slow road: who has each byte, one by one.
func TestClaimsAreThoseOfABytewiseMap(t *testing.T) {
	const space = 300
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		var memory scratch.Memory
		c := claims{memory: &memory}
		var bytes [space]claim
		for i := range bytes {
			bytes[i].holder = nobody
		}
		for h := range holder(4) {
			var added []claim
			for at := uint64(0); at < space; {
				start := at + random.Uint64N(20)
				limit := min(space, start+random.Uint64N(30))
				if at = limit + random.Uint64N(3); start < limit {
					added = append(added, claim{Range{start, limit}, h, int32(len(added))})
				}
			}
			for _, a := range added {
				for i := a.Start; i < a.Limit; i++ {
					if bytes[i].holder == nobody {
						bytes[i] = a
					}
				}
			}
			random.Shuffle(len(added), func(i, j int) { added[i], added[j] = added[j], added[i] })
			c.add(added)
		}
		for i := 1; i < len(c.list); i++ {
			if c.list[i].Start < c.list[i-1].Limit || c.list[i].Start >= c.list[i].Limit {
				t.Fatalf("seed %d: %v", seed, c.list)
			}
		}
		at := uint64(0)
		for at < space {
			limit := min(space, at+1+random.Uint64N(40))
			c.divide(Range{at, limit}, func(got *claim, n uint64) {
				for ; n > 0; n, at = n-1, at+1 {
					if want := bytes[at]; got == nil && want.holder != nobody ||
						got != nil && (got.holder != want.holder || got.which != want.which) {
						t.Fatalf("seed %d: byte %d has %v, want %v", seed, at, got, want)
					}
				}
			})
			if at != limit {
				t.Fatalf("seed %d: parts end at %d, the run at %d", seed, at, limit)
			}
		}
		memory.Free()
	}
}
