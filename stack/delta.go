package stack

// Delta is what p has beyond the baseline: allocated as differences, in use as p has it. Its Start is the baseline's time.
// Samples of which nothing is left are not in it. A counter that is lower than before counts as unchanged. Stacks are
// compared by ID within one recording; if p is of a later one, all that it recorded came after the baseline. Samples
// without an ID are compared by frames, block size and labels, and those that are equal become one. p is not changed,
// and the result shares its frames and labels.
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

// Growth is what p has in use less what the baseline has, of either sign. Nothing in it counts as allocated, and samples
// that did not change are not in it. Samples are compared as by Delta. Nothing is taken away for a recording that ended:
// its blocks are not known any more, nor whether they live. Within one recording no sample with an ID vanishes. One
// without an ID can, when its maker leaves out what is not in use; it comes after all others, in the order of the
// baseline, with the negative of what it held.
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

// compare gives each sample of p the values that difference makes of its own and the baseline's.
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

// vanished are the samples in use that p does not have, with their values negated.
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
