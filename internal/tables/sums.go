package tables

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Sums are weights of blocks by their site.
type Sums struct {
	Total  Weight
	list   []siteSum
	index  scratch.Index // of list, by site
	memory *scratch.Memory
}

type siteSum struct {
	Weight
	site uint32
}

// NewSums returns sums of nothing, in memory.
func NewSums(memory *scratch.Memory) *Sums {
	return &Sums{memory: memory, index: scratch.NewIndex(memory, 0)}
}

// Add adds a weight to a site's.
func (s *Sums) Add(site uint32, w Weight) {
	n, known := s.index.Find(uint64(site), func(n uint32) bool { return s.list[n].site == site })
	if !known {
		n = uint32(len(s.list))
		s.index.Add(uint64(site), n)
		s.list = scratch.Append(s.memory, s.list, siteSum{site: site})
	}
	s.list[n].Weight = s.list[n].plus(w)
	s.Total = s.Total.plus(w)
}

// InUse returns the sums as samples in use, in the order of their sites. Bytes are the sums' own, whatever the blocks' sizes.
func (r *Reader) InUse(s *Sums) *Samples { return r.packed(r.inUse(nil, s, 0)) }

// InUseBeside is InUse, followed by the same of other sums: a site may have a sample of both. The others' are of class 0: see ClassOf.
func (r *Reader) InUseBeside(s, others *Sums) *Samples {
	return r.packed(r.inUse(r.inUse(nil, s, 0), others, 1<<classShift))
}

func (r *Reader) inUse(list []record, s *Sums, class uint64) []record {
	slices.SortFunc(s.list, func(a, b siteSum) int { return cmp.Compare(a.site, b.site) })
	if list == nil {
		list = scratch.Slice[record](r.memory, len(s.list))[:0]
	}
	for i := range s.list {
		sum := &s.list[i]
		one, u := r.sample(Offset(sum.site)), r.rounding(sum.site)
		one.id |= class
		one.Values = stack.Values{InuseObjects: sum.Objects.Rounded(16, u.objects), InuseBytes: sum.Bytes.Rounded(4, u.bytes>>12)}
		list = scratch.Append(r.memory, list, one)
	}
	return list
}
