package stack

import (
	"cmp"
	"container/heap"
	"slices"
)

// Rest is the sum of samples that were cut away.
type Rest struct {
	Label   Label // what they have in common; without a Key, if they lack the label or none was asked for
	Samples int
	Values
}

// Top keeps the n samples of p for which weigh, of either sign, is farthest from 0, in the order that they have. Of equal
// ones the first are kept. What it cuts away it adds up: for each value that the label with the key group has there, in
// the order in which the values appear, so that the total of each stays right; and in one sum if group is "". So kept
// and rests together have the total of p. p is not changed; if it has no more than n samples, kept are its own.
// It takes O(len log n) time, and memory for n numbers besides what it returns.
func (p *Profile) Top(n int, weigh func(Values) int64, group string) (kept []Sample, rests []Rest) {
	if len(p.Samples) <= n {
		return p.Samples, nil
	}
	keep := largest(p.Samples, max(0, n), weigh)
	kept = make([]Sample, 0, len(keep))
	byLabel := map[Label]int{} // indexes of rests
	for i := range p.Samples {
		s := &p.Samples[i]
		if len(kept) < len(keep) && keep[len(kept)] == i {
			kept = append(kept, *s)
			continue
		}
		label := s.label(group)
		at, ok := byLabel[label]
		if !ok {
			at = len(rests)
			byLabel[label] = at
			rests = append(rests, Rest{Label: label})
		}
		rests[at].Samples++
		rests[at].Add(s.Values)
	}
	return kept, rests
}

// label is the sample's label with the key, the zero Label if it has none.
func (s *Sample) label(key string) Label {
	for _, l := range s.Labels {
		if l.Key == key && key != "" {
			return l
		}
	}
	return Label{}
}

// largest returns the indexes of the n samples of the greatest magnitude, ascending.
func largest(samples []Sample, n int, weigh func(Values) int64) []int {
	h := make(smallestFirst, 0, n)
	for i := range samples {
		w := weighed{i, magnitude(weigh(samples[i].Values))}
		switch {
		case len(h) < n:
			if h = append(h, w); len(h) == n {
				heap.Init(&h)
			}
		case n > 0 && w.magnitude > h[0].magnitude:
			h[0] = w
			heap.Fix(&h, 0)
		}
	}
	indexes := make([]int, len(h))
	for i, w := range h {
		indexes[i] = w.index
	}
	slices.SortFunc(indexes, cmp.Compare[int])
	return indexes
}

// magnitude is |v|, also of the least number, which has no positive twin.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

type weighed struct {
	index     int
	magnitude uint64
}

// smallestFirst is a heap.Interface whose first is the one to give way: of equal ones, the last.
type smallestFirst []weighed

func (h smallestFirst) Len() int      { return len(h) }
func (h smallestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h smallestFirst) Less(i, j int) bool {
	if h[i].magnitude != h[j].magnitude {
		return h[i].magnitude < h[j].magnitude
	}
	return h[i].index > h[j].index
}

// Push and Pop are never called: the heap keeps its length.
func (h *smallestFirst) Push(any) { panic("the heap has a fixed length") }
func (h *smallestFirst) Pop() any { panic("the heap has a fixed length") }
