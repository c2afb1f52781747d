package page

import (
	"maps"
	"math/bits"
	"slices"
)

// cut leaves the nodes with the most, and adds the others up: below each node that stays, in one node. A node has at least as
// much as each below it, in absolute values, so parents stay where their children do.
func (b *builder) cut(keep int) {
	nodes := b.made.Nodes
	if len(nodes) <= keep {
		return
	}
	weight := b.weights()
	least, alike := leastOf(weight, keep)
	small := b.function(Function{b.text(other), 0, 0, kindLeaf, 0})
	where := make([]int64, len(nodes)) // the new number of a node, or of the nearest above it that stays
	stays := make([]bool, len(nodes))
	rests := make(map[int64]int64) // the node of what was cut, by parent
	made := make([][4]int64, 0, 2*keep)
	for i, n := range nodes {
		parent := int64(-1)
		if n[0] >= 0 {
			parent = where[n[0]]
		}
		if stays[i] = weight[i] > least || weight[i] == least && alike > 0 && (n[0] < 0 || stays[n[0]]); stays[i] {
			if weight[i] == least {
				alike--
			}
			where[i] = int64(len(made))
			made = append(made, [4]int64{parent, n[1], n[2], n[3]})
			continue
		}
		b.made.Cut++
		where[i] = parent
		if n[2] == 0 && n[3] == 0 {
			continue
		}
		rest, known := rests[parent]
		if !known {
			rest = int64(len(made))
			rests[parent] = rest
			made = append(made, [4]int64{parent, small, 0, 0})
		}
		made[rest][2] += n[2]
		made[rest][3] += n[3]
	}
	b.made.Nodes = made
}

// weights returns the sums of absolute values of each node with those below it.
func (b *builder) weights() []int64 {
	nodes := b.made.Nodes
	weight := make([]int64, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		weight[i] += absolute(nodes[i][2])
		if parent := nodes[i][0]; parent >= 0 {
			weight[parent] += weight[i]
		}
	}
	return weight
}

// leastOf returns the weight of the node that is number keep if those with the most come first, and how many nodes of just that weight
// there is room for. Only weights of as many bits as its own are sorted.
func leastOf(weights []int64, keep int) (least int64, room int) {
	var sizes [65]int // how many have so many bits
	for _, w := range weights {
		sizes[bits.Len64(uint64(w))]++
	}
	above, size := 0, 64
	for above+sizes[size] < keep {
		above += sizes[size]
		size--
	}
	alike := make([]int64, 0, sizes[size])
	for _, w := range weights {
		if bits.Len64(uint64(w)) == size {
			alike = append(alike, w)
		}
	}
	slices.Sort(alike)
	least = alike[len(alike)-(keep-above)]
	more, _ := slices.BinarySearch(alike, least+1) // where those with more begin
	return least, keep - above - (len(alike) - more)
}

func (b *builder) sawLabel(key, value string) {
	seen := b.values[key]
	if seen == nil {
		if len(b.values) == mostValues {
			return
		}
		seen = make(map[string]bool)
		b.values[key] = seen
	}
	if len(seen) < mostValues {
		seen[value] = true
	}
}

// labels lists what labels there are, in order.
func (b *builder) labels() {
	for key, seen := range b.values {
		b.made.Labels[key] = slices.Sorted(maps.Keys(seen))
	}
}
