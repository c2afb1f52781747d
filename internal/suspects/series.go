package suspects

import (
	"errors"
	"fmt"
	"time"
)

// Moment is how much of a stack was in use at a moment.
type Moment struct {
	Time  time.Time
	Bytes float64
}

// series returns what is known of a stack, the oldest first.
func (h *History) series(t *track) []Moment {
	list := make([]Moment, 0, len(h.moments)-t.from)
	for i := t.from; i < len(h.moments); i++ {
		list = append(list, Moment{h.moments[i].time, t.bytes[i]})
	}
	return list
}

// Change is how much the stacks that are kept have changed from one moment to another.
type Change struct {
	From, To time.Time          // the moments, those nearest to what was asked for
	Bytes    map[uint64]float64 // by site; those that have not changed are left out
	Cut      bool               // there are stacks that are not kept
}

// errOneMoment says why nothing can be compared.
var errOneMoment = errors.New("there are no two moments to compare: they are kept from the first call for suspects on, the second after 14 s")

// farthest is how far a moment may be from the time that was asked for: they are two minutes apart, and the first ones less.
const farthest = 3 * time.Minute

// Between compares the moments nearest to two times, or if both have the same, that and the next. It fails if none is near.
func (h *History) Between(from, to time.Time) (Change, error) {
	if len(h.moments) < 2 {
		return Change{}, errOneMoment
	}
	a, err := h.nearest(from)
	if err != nil {
		return Change{}, err
	}
	b, err := h.nearest(to)
	if err != nil {
		return Change{}, err
	}
	if a == b {
		if a == len(h.moments)-1 {
			a--
		} else {
			b++
		}
	}
	if a > b {
		return Change{}, errors.New("the first moment is after the second")
	}
	c := Change{From: h.moments[a].time, To: h.moments[b].time, Bytes: make(map[uint64]float64), Cut: h.cut}
	for _, t := range h.tracks {
		if t.from >= b {
			continue // not known at both
		}
		if d := t.bytes[b] - t.bytes[max(a, t.from)]; d != 0 {
			c.Bytes[t.site] += d
		}
	}
	return c, nil
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// nearest returns the number of the moment nearest to a time, unless that is too far. There is one.
func (h *History) nearest(at time.Time) (best int, err error) {
	distance := func(i int) time.Duration { return h.moments[i].time.Sub(at).Abs() }
	for i := range h.moments {
		if distance(i) < distance(best) {
			best = i
		}
	}
	if distance(best) > farthest {
		return 0, fmt.Errorf("no stacks are kept of %s: those that are kept are from %s to %s", clock(at), clock(h.moments[0].time),
			clock(h.moments[len(h.moments)-1].time))
	}
	return best, nil
}

// Between compares the moments nearest to two times. It fails if there are no two.
func (w *Watch) Between(from, to time.Time) (Change, error) {
	w.taking.Lock()
	defer w.taking.Unlock()
	return w.history.Between(from, to)
}
