package stack

import (
	"cmp"
	"slices"
	"time"
	"unsafe"
)

// Baseline is the state of a recording with which later profiles are compared: the four values of each sample of an earlier
// profile. It takes 40 bytes for each sample that has an ID. A sample without an ID is kept whole, because its content is
// its identity. Methods that do not change the Baseline may be called concurrently.
type Baseline struct {
	start, time time.Time
	known       []knownValues // in the order of their IDs
	unknown     distinct
}

type knownValues struct {
	id uint64
	Values
}

// NewBaseline makes a baseline of p and keeps nothing of p's memory but the labels.
func NewBaseline(p *Profile) *Baseline {
	b := &Baseline{}
	b.Advance(p)
	return b
}

// Size returns roughly how many bytes the baseline takes, without labels.
func (b *Baseline) Size() int64 {
	const known, unknown = int64(unsafe.Sizeof(knownValues{})), int64(unsafe.Sizeof(Sample{}))
	const indexed = 32 // an entry of the index
	size := int64(unsafe.Sizeof(*b)) + known*int64(cap(b.known)) + unknown*int64(cap(b.unknown.samples)) + indexed*int64(len(b.unknown.index))
	for i := range b.unknown.samples {
		size += int64(unsafe.Sizeof(Frame(0))) * int64(len(b.unknown.samples[i].Frames))
	}
	return size
}

// Time returns when the last profile that made the baseline was taken.
func (b *Baseline) Time() time.Time { return b.time }

// Advance moves the baseline to p, a later profile. In use becomes p's value. Allocated becomes the highest value ever seen,
// so that what a counter lost and gained again is not counted twice, and neither is a stack that one profile left out. If p
// belongs to another recording, the values known by ID are dropped: they belong to other stacks. So the memory is bounded by
// the number of different samples of one recording.
func (b *Baseline) Advance(p *Profile) {
	if !b.sameRecording(p) {
		b.known = nil
	}
	b.start, b.time = p.Start, p.Time
	for i := range b.known {
		b.known[i].InuseObjects, b.known[i].InuseBytes = 0, 0
	}
	for i := range b.unknown.samples {
		s := &b.unknown.samples[i]
		s.InuseObjects, s.InuseBytes = 0, 0
	}
	b.advanceKnown(p)
	b.advanceUnknown(p)
}

func (b *Baseline) advanceKnown(p *Profile) {
	fresh := make([]knownValues, 0, b.countFresh(p))
	for i := range p.Samples {
		s := &p.Samples[i]
		if s.ID == 0 {
			continue
		}
		if then := b.find(s.ID); then != nil {
			then.raise(s.Values)
		} else {
			fresh = append(fresh, knownValues{s.ID, s.Values})
		}
	}
	if len(fresh) == 0 {
		return
	}
	if len(b.known) > 0 {
		fresh = slices.Concat(b.known, fresh)
	}
	slices.SortFunc(fresh, func(x, y knownValues) int { return cmp.Compare(x.id, y.id) })
	b.known = fresh
}

// countFresh counts the samples of p that are not in the baseline yet, so that the baseline allocates exactly what it needs.
func (b *Baseline) countFresh(p *Profile) (n int) {
	for i := range p.Samples {
		if id := p.Samples[i].ID; id != 0 && b.find(id) == nil {
			n++
		}
	}
	return n
}

func (b *Baseline) advanceUnknown(p *Profile) {
	now := fold(p.Samples)
	for i := range now {
		s := &now[i]
		if s.ID != 0 {
			continue
		}
		if then := b.unknown.find(s); then != nil {
			then.raise(s.Values)
			continue
		}
		own := *s
		own.Frames = slices.Clone(s.Frames)
		b.unknown.add(own)
	}
}

// raise advances v to now: allocated never falls, in use becomes now's.
func (v *Values) raise(now Values) {
	v.AllocObjects = max(v.AllocObjects, now.AllocObjects)
	v.AllocBytes = max(v.AllocBytes, now.AllocBytes)
	v.InuseObjects, v.InuseBytes = now.InuseObjects, now.InuseBytes
}

func (b *Baseline) sameRecording(p *Profile) bool { return b.start.Equal(p.Start) }

func (b *Baseline) find(id uint64) *Values {
	i, ok := slices.BinarySearchFunc(b.known, id, func(k knownValues, id uint64) int { return cmp.Compare(k.id, id) })
	if !ok {
		return nil
	}
	return &b.known[i].Values
}

// then returns the baseline's values of s, all 0 if it has none. sameRecording reports whether IDs can be compared.
func (b *Baseline) then(s *Sample, sameRecording bool) Values {
	var found *Values
	switch {
	case s.ID == 0:
		if u := b.unknown.find(s); u != nil {
			found = &u.Values
		}
	case sameRecording:
		found = b.find(s.ID)
	}
	if found == nil {
		return Values{}
	}
	return *found
}

// Delta returns p relative to the baseline: allocated as differences, in use as in p. Its Start is the baseline's time.
// Samples whose values all become 0 are left out. A counter that is lower than before counts as unchanged. Stacks are
// compared by ID within one recording; if p belongs to a later one, all that it recorded came after the baseline. Samples
// without an ID are compared by frames, block size and labels, and equal ones are merged. p is not changed, and the result
// shares its frames and labels.
func (b *Baseline) Delta(p *Profile) Profile {
	delta := b.compare(p, func(now, then Values) Values {
		return Values{
			AllocObjects: max(0, now.AllocObjects-then.AllocObjects),
			AllocBytes:   max(0, now.AllocBytes-then.AllocBytes),
			InuseObjects: now.InuseObjects,
			InuseBytes:   now.InuseBytes,
		}
	})
	delta.Start = b.time
	return delta
}

// Growth returns what p has in use minus what the baseline has; values may be negative. Allocated is 0 in all samples, and
// samples that did not change are left out. Samples are compared as in Delta. Nothing is subtracted for a recording that
// ended, because it is unknown whether its blocks still live. Within one recording no sample with an ID vanishes. A sample
// without an ID can, if its maker leaves out what is not in use; it then comes after all others, in the order of the
// baseline, with the negative of its values.
func (b *Baseline) Growth(p *Profile) Profile {
	growth := b.compare(p, func(now, then Values) Values {
		return Values{
			InuseObjects: now.InuseObjects - then.InuseObjects,
			InuseBytes:   now.InuseBytes - then.InuseBytes,
		}
	})
	growth.Samples = append(growth.Samples, b.vanished(p)...)
	growth.Start = b.time
	return growth
}

// compare returns p with the values that difference computes from each sample's and the baseline's.
func (b *Baseline) compare(p *Profile, difference func(now, then Values) Values) Profile {
	result, same := *p, b.sameRecording(p)
	result.Samples = nil
	for _, s := range fold(p.Samples) {
		s.Values = difference(s.Values, b.then(&s, same))
		if s.Values != (Values{}) {
			result.Samples = append(result.Samples, s)
		}
	}
	return result
}

// vanished returns the samples in use that p lacks, with their values negated.
func (b *Baseline) vanished(p *Profile) (gone []Sample) {
	if len(b.unknown.samples) == 0 {
		return nil
	}
	var now distinct
	for _, s := range p.Samples {
		if s.ID == 0 {
			now.add(s)
		}
	}
	for _, s := range b.unknown.samples {
		if s.InuseObjects == 0 && s.InuseBytes == 0 || now.find(&s) != nil {
			continue
		}
		s.Values = Values{InuseObjects: -s.InuseObjects, InuseBytes: -s.InuseBytes}
		gone = append(gone, s)
	}
	return gone
}
