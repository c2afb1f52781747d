package holders

import (
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// What is known of a block: a number from pooled on is that of a pool.
const (
	_ uint32 = iota
	asked
	whole
	pooled
)

// cuts returns what Named says of pools. A block that a pool cuts into smaller ones is held as long as one of those is. So what a lost one of them
// points to seems to be held.
func (n *namer) cuts(b *Blocks) (cut []uint32, pools []string) {
	if len(n.pools) == 0 {
		return nil, nil
	}
	through := func(at int) int {
		if t := b.Found(at).Through; uint64(t) <= uint64(b.Count) {
			return int(t) - 1
		}
		return -1
	}
	cut = scratch.Slice[uint32](n.memory, b.Count)
	for i := range cut {
		known, at := whole, i
		for ; at >= 0 && known == whole; at = through(at) {
			if cut[at] != 0 {
				known = max(cut[at], whole) // what two copies found may be a ring
				break
			}
			cut[at] = asked
			if next := through(at); next >= 0 && n.pools[b.Stack(next)] != "" {
				which := slices.Index(pools, n.pools[b.Stack(next)])
				if which < 0 {
					which, pools = len(pools), append(pools, n.pools[b.Stack(next)])
				}
				known = pooled + uint32(which)
			}
		}
		for at = i; at >= 0 && cut[at] == asked; at = through(at) {
			cut[at] = known
		}
	}
	for i := range cut {
		cut[i] -= whole
	}
	return cut, pools
}
