package cgoheap

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/report"
)

// LevelError says that a level of memory, which HighWater asks for, cannot be read.
type LevelError struct {
	Field string // of HighWater
	Err   error
}

func (e *LevelError) Error() string { return fmt.Sprintf("Dumps.HighWater.%s: %v", e.Field, e.Err) }
func (e *LevelError) Unwrap() error { return e.Err }

// level is a measure of memory, and what it must reach for the next dump.
type level struct {
	field, name string
	mark, next  float64
	most        float64 // it cannot grow beyond; 0 if it can
	is          float64 // when it was last read
	read        func() (float64, error)
	show        func(float64) string
}

func inBytes(v float64) string   { return report.Bytes(int64(v)) }
func inPercent(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }

// step is what the level must reach for another dump: what it is now and a share more, but no more than half of what is
// left below the most that it can be.
func (v *level) step(growth float64) float64 {
	next := v.is * (1 + growth)
	if v.most > v.is {
		next = min(next, (v.is+v.most)/2)
	} else if v.most > 0 {
		next = v.most
	}
	return next
}

// levels are those that are watched.
type levels struct {
	list   []level
	growth float64
	pause  time.Duration // after a dump
	retry  time.Duration // after the next that fails
	wait   time.Time     // until when there is none
}

// firstRetry is the pause after a dump that failed. It doubles with each that follows, up to the pause after a dump.
const firstRetry = 10 * time.Second

// readable says which cannot be read.
func (l *levels) readable() error {
	for i := range l.list {
		if _, err := l.list[i].read(); err != nil {
			return &LevelError{l.list[i].field, err}
		}
	}
	return nil
}

// reached says which levels have reached what they must for another dump; "" if none has, or if it is too soon. A level
// that cannot be read this time has not.
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
		if is < v.next || now.Before(l.wait) {
			continue
		}
		if which != "" {
			which += ", "
		}
		which += v.name + ": " + v.show(is)
	}
	return which
}

// dumped is called with what became of the dump for the levels that were reached. Only one that was made counts.
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
}
