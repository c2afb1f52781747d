package stack

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
