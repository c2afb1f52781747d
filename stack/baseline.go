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
