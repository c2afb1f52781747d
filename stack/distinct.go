package stack

import "slices"

// distinct holds samples in the order of insertion. Samples without an ID are merged if stack, block size and labels are
// equal. Only the values of the samples may be changed.
type distinct struct {
	samples []Sample
	index   map[uint64]int // by the hash of the content, or the next free key after it
}

// lookup returns the index of the sample with s's content, or else the free key for it.
func (d *distinct) lookup(s *Sample) (i int, free uint64, ok bool) {
	for free = contentHash(s); ; free++ {
		i, ok = d.index[free]
		if !ok || sameContent(&d.samples[i], s) {
			return i, free, ok
		}
	}
}

// find returns the sample without an ID that has s's content; nil if there is none.
func (d *distinct) find(s *Sample) *Sample {
	if i, _, ok := d.lookup(s); ok {
		return &d.samples[i]
	}
	return nil
}

// add inserts a sample without an ID, or adds its values to the sample with equal content.
func (d *distinct) add(s Sample) {
	i, free, ok := d.lookup(&s)
	if ok {
		d.samples[i].Add(s.Values)
		return
	}
	if d.index == nil {
		d.index = map[uint64]int{}
	}
	d.index[free] = len(d.samples)
	d.samples = append(d.samples, s)
}

// fold merges the samples without an ID that have equal content. If there are none, it returns samples itself.
func fold(samples []Sample) []Sample {
	if !slices.ContainsFunc(samples, func(s Sample) bool { return s.ID == 0 }) {
		return samples
	}
	folded := distinct{samples: make([]Sample, 0, len(samples))}
	for _, s := range samples {
		if s.ID != 0 {
			folded.samples = append(folded.samples, s)
		} else {
			folded.add(s)
		}
	}
	return folded.samples
}

func sameContent(a, b *Sample) bool {
	return a.BlockSize == b.BlockSize && slices.Equal(a.Frames, b.Frames) && slices.Equal(a.Labels, b.Labels)
}

// contentHash is FNV-1a over words, with a shift that lets high bits influence low ones. Collisions are harmless: content is
// compared when hashes are equal.
func contentHash(s *Sample) uint64 {
	hash := mix(14695981039346656037, uint64(s.BlockSize))
	for _, f := range s.Frames {
		hash = mix(hash, uint64(f))
	}
	for i := range s.Labels {
		l := &s.Labels[i]
		hash = mix(hash, uint64(l.Number))
		for _, text := range [...]string{l.Key, l.Text, l.Unit} {
			hash = mix(hash, uint64(len(text)))
			for j := range len(text) {
				hash = mix(hash, uint64(text[j]))
			}
		}
	}
	return hash
}

func mix(hash, word uint64) uint64 {
	hash = (hash ^ word) * 1099511628211
	return hash ^ hash>>32
}
