package excerpt

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

var errBounds = errors.New("the bounds are too small for any profile")

// room is how many samples and bytes an excerpt may have.
type room struct{ samples, bytes int }

func (p *Part) room() room {
	r := room{p.MaxSamples, int(p.MaxBytes)}
	if r.samples == 0 {
		r.samples = math.MaxInt
	}
	if r.bytes == 0 {
		r.bytes = math.MaxInt
	}
	return r
}

// cut writes an excerpt without bounds within them: without what nothing refers to, and if that is not enough with the largest
// samples and the sum of the others. Like a profile that the profiler cuts, it calls the sum "other".
func (p *Profile) cut(part *Part, s *samples) ([]byte, error) {
	order, r := s.largestFirst(), part.room()
	u, n := p.fit(part, s, order, r)
	if n == len(order) {
		head := p.writeUsed(part, s, u)
		return s.write(head), nil
	}
	r.samples--
	r.bytes -= longestRest(p, s, u, len(order))
	u, n = p.fit(part, s, order, r)
	if u.bytes > r.bytes {
		return nil, errBounds
	}
	kept, others := s.split(order[:n])
	head := p.writeUsed(part, kept, u)
	return others.write(kept.write(head), p, u), nil
}

// fit returns how many samples have room, in this order, and what they refer to. Names make up most of a profile: a sample
// takes as much of the room as the names that it is the first to refer to.
func (p *Profile) fit(part *Part, s *samples, order []int, r room) (u *used, n int) {
	u = newUsed(p, part, s.columns)
	for n < len(order) && n < r.samples {
		i := order[n]
		u.journal = u.journal[:0]
		before := u.bytes
		u.sample(s.keys[i])
		u.bytes += len(s.appendSample(nil, s.keys[i], s.of(i)))
		if u.bytes > r.bytes {
			u.undo(before)
			break
		}
		n++
	}
	return u, n
}

// largestFirst returns the indices of the samples by their value in the last column; of equal ones the first.
func (s *samples) largestFirst() []int {
	weight := func(i int) uint64 {
		v := s.of(i)[len(s.columns)-1]
		if v < 0 {
			return -uint64(v)
		}
		return uint64(v)
	}
	order := make([]int, len(s.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	return order
}

// split returns the chosen samples, in the order in which they came, and the sum of the others.
func (s *samples) split(chosen []int) (kept *samples, others *rest) {
	kept = &samples{columns: s.columns}
	others = &rest{values: make([]int64, len(s.columns))}
	is := make([]bool, len(s.keys))
	for _, i := range chosen {
		is[i] = true
	}
	for i, key := range s.keys {
		if is[i] {
			kept.keys, kept.sums = append(kept.keys, key), append(kept.sums, s.of(i)...)
			continue
		}
		others.samples++
		for j, v := range s.of(i) {
			others.values[j] += v
		}
	}
	return kept, others
}
