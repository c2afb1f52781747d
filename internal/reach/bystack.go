//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
)

// ByStack sums up what was found of the blocks that were so old, and are still in use, by suspects.Block.Stack. holder returns the
// number of what holds a block.
func (f *Findings) ByStack(r *alloc.Recording, memory *scratch.Memory, oldest time.Duration, holder func(i int) int) (map[uint64]*suspects.Found, error) {
	sums, held := make(map[uint64]*suspects.Found), make(map[uint64]*low)
	d := f.doubts(memory)
	err := r.StillIn(memory, f.Blocks, func(i int, b *suspects.Block) {
		if f.Blocks.Younger(i, oldest) {
			return
		}
		sum := sums[b.Stack]
		if sum == nil {
			sum = new(suspects.Found)
			sum.Unread(f.Report.Unread.Bytes())
			sums[b.Stack], held[b.Stack] = sum, &low{words: make(few), offsets: make(few)}
		}
		switch {
		case f.Lost(i):
			sum.Lost(b)
		case f.InSmallest(i):
			sum.Held(b, suspects.InSmallest)
		case f.found[i].Holder != 0:
			sum.Held(b, holder(i))
			d.add(held[b.Stack], i, b.Bytes)
		}
	})
	f.Doubted = 0
	for stack, sum := range sums {
		doubted := d.doubted(held[stack])
		sum.Doubted(doubted)
		f.Doubted += doubted
	}
	scratch.ReleaseSlice(memory, d.firsts)
	return sums, err
}
