package stack

import (
	"cmp"
	"container/heap"
	"slices"
)

// Rest is the sum of the samples that Top did not keep.
type Rest struct {
	Label   Label // their common label; no Key if they lack it or group is ""
	Samples int
	Values
}

// Top keeps the n samples of p with the greatest absolute weight, in the order of p; of equal ones the first. It adds the
// others up, in one sum for each value of the label with the key group, in the order in which the values appear, or in a
// single sum if group is "". So kept and rests together have the total of p. p is not changed; if it has at most n samples,
// kept is p.Samples. Top takes O(len log n) time, and memory for n numbers besides its results.
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

// label returns the sample's label with the key, or the zero Label.
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

// magnitude returns |v|, also for the least number, whose negative is not an int64.
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

// smallestFirst is a heap.Interface whose first element is the next to be replaced: of equal ones, the last.
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
