package holders

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// mostHolders bounds the names of a profile. Those with fewest bytes beyond it are added up by kind.
const mostHolders = 2000

// classify gives each block its holder, most bytes first.
func (n *namer) classify(b *Blocks) *Named {
	of := scratch.Slice[uint32](n.memory, b.Count)
	classes, list := make(map[Holder]uint32), []Holder(nil)
	var bytes []uint64
	for i := range of {
		f := b.Found(i)
		h := n.holder(&f, b)
		class, known := classes[h]
		if !known {
			class = uint32(len(list))
			classes[h] = class
			list, bytes = append(list, h), append(bytes, 0)
		}
		of[i] = class
		bytes[class] += b.Bytes(i)
	}
	named := &Named{Of: of}
	numbers := named.bound(list, bytes)
	for i := range of {
		of[i] = numbers[of[i]]
	}
	return named
}

// bound sets the Holders to those with most bytes, and returns the new numbers of all in a list.
func (d *Named) bound(list []Holder, bytes []uint64) []uint32 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(bytes[b], bytes[a]), strings.Compare(list[a].Name, list[b].Name),
			strings.Compare(list[a].Detail, list[b].Detail), strings.Compare(list[a].Root, list[b].Root))
	})
	numbers, others := make([]uint32, len(list)), make(map[string]uint32)
	for rank, i := range order {
		numbers[i] = uint32(len(d.Holders))
		if rank < mostHolders || list[i].Name == Nothing || list[i].Name == NotLooked {
			d.Holders = append(d.Holders, list[i])
			continue
		}
		name := coarse(&list[i])
		known, ok := others[name]
		if !ok {
			known = uint32(len(d.Holders))
			others[name] = known
			d.Holders = append(d.Holders, Holder{Name: name})
		}
		numbers[i] = known
	}
	return numbers
}

// kinds are the beginnings of names, and what many of each kind are called together.
var kinds = [...][2]string{
	{"a block ", "other blocks"}, {"global ", "other globals"}, {"thread-local ", "thread-local variables of other threads"},
	{"pthread key ", "pthread keys of other threads"},
	{"stack of thread ", "stacks of other threads"}, {"stack of goroutine ", "stacks of other goroutines"},
	{"Go variable ", "other Go variables"}, {"finalizer ", "other finalizers and cleanups"}, {"memory ", "other mapped memory"}, {"mapping ", "other mappings"},
}

func coarse(h *Holder) string {
	for _, k := range kinds {
		if strings.HasPrefix(h.Name, k[0]) {
			return k[1]
		}
	}
	return "other data"
}

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
