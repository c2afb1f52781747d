package dump

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/report"
)

// FieldError reports which field of a Config is invalid, or asks for a measure of memory that cannot be read.
type FieldError struct {
	Field string
	Err   error
}

func (e *FieldError) Error() string { return e.Field + " " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

// level is a measure of memory, and what it must reach for the next dump.
type level struct {
	field, name string
	mark, next  float64
	most        float64 // upper bound of the level; 0 if there is none
	is          float64 // the value last read
	read        func() (float64, error)
	show        func(float64) string
}

func inBytes(v float64) string   { return report.Bytes(int64(v)) }
func inPercent(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }

// step returns what the level must reach for another dump: its present value increased by a share, but at most half of the
// way that is left to its bound.
func (v *level) step(growth float64) float64 {
	next := v.is * (1 + growth)
	if v.most > v.is {
		next = min(next, (v.is+v.most)/2)
	} else if v.most > 0 {
		next = v.most
	}
	return next
}

// levels are the watched levels.
type levels struct {
	list   []level
	rate   *rate // nil if the growth is not watched
	growth float64
	pause  time.Duration // after a dump
	retry  time.Duration // after the next dump that fails
	wait   time.Time     // no dump before this time
}

// firstRetry is the pause after a dump that failed. It doubles with each that follows, up to the pause after a dump.
const firstRetry = 10 * time.Second

// readable returns an error if a level cannot be read.
func (l *levels) readable() error {
	for i := range l.list {
		if _, err := l.list[i].read(); err != nil {
			return &FieldError{"HighWater." + l.list[i].field, fmt.Errorf("cannot be read: %w", err)}
		}
	}
	return nil
}

// reached names the levels that call for another dump; "" if none does, or if it is too soon. A level that cannot be read
// this time does not count.
func (l *levels) reached(now time.Time) (which string) {
	for i := range l.list {
		v := &l.list[i]
		is, err := v.read()
		v.is = is
		if err != nil {
			v.is = 0
			continue
		}
		if is < fallen*v.mark {
			v.next = v.mark
		}
		if is >= v.next {
			which = joined(which, v.name+": "+v.show(is))
		}
	}
	if l.rate != nil {
		l.rate.look(now)
		which = joined(which, l.rate.reached())
	}
	if now.Before(l.wait) {
		return ""
	}
	return which
}

func joined(list, more string) string {
	if list == "" || more == "" {
		return list + more
	}
	return list + ", " + more
}

// dumped records the outcome of the dump for the levels that were reached. Only a dump that was made raises them.
func (l *levels) dumped(now time.Time, err error) {
	if err != nil {
		l.retry = min(max(firstRetry, 2*l.retry), l.pause)
		l.wait = now.Add(l.retry)
		return
	}
	l.retry = 0
	l.wait = now.Add(l.pause)
	for i := range l.list {
		if v := &l.list[i]; v.is >= v.next {
			v.next = v.step(l.growth)
		}
	}
	if l.rate != nil {
		l.rate.dumped(l.growth)
	}
}
