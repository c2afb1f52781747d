package cgoheap

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/report"
)

// HighWater asks for a dump when memory reaches a mark, so that there is a profile of the time before the OOM kill. Each
// of the first three has its own mark, and 0 means none.
type HighWater struct {
	Native int64   // bytes of native memory in use, as the profiler estimates them
	RSS    int64   // bytes of resident memory of the process
	Cgroup float64 // share of the control group's memory limit, such as 0.8

	Growth float64       // after a dump, another when the same has grown by this share; 0 means 0.25
	Pause  time.Duration // least time from one of these dumps to the next; 0 means 10 minutes
}

const (
	defaultGrowth = 0.25
	defaultPause  = 10 * time.Minute
	fallen        = 0.9 // of the mark: once below, reaching the mark counts again
)

// level is a measure of memory, and what it must reach for the next dump.
type level struct {
	name       string
	mark, next float64
	read       func() (float64, error)
	show       func(float64) string
}

// levels are those that are watched.
type levels struct {
	list   []level
	growth float64
	pause  time.Duration
	last   time.Time // of the last dump
}

// levels is nil if nothing is to be watched. What cannot be read, is an error at once.
func (h HighWater) levels(native func() int64) (*levels, error) {
	if h.Native < 0 || h.RSS < 0 || h.Cgroup < 0 || h.Growth < 0 || h.Pause < 0 {
		return nil, fmt.Errorf("Dumps.HighWater is %+v; nothing in it may be negative", h)
	}
	l := &levels{growth: h.Growth, pause: h.Pause}
	if l.growth == 0 {
		l.growth = defaultGrowth
	}
	if l.pause == 0 {
		l.pause = defaultPause
	}
	l.add("native memory in use", float64(h.Native), inBytes, func() (float64, error) { return float64(native()), nil })
	l.add("resident memory", float64(h.RSS), inBytes, func() (float64, error) {
		rss, err := usage.Running.RSS()
		return float64(rss), err
	})
	l.add("share of the control group's memory limit", h.Cgroup, inPercent, func() (float64, error) {
		group, err := usage.Running.Group()
		return group.Share(), err
	})
	if len(l.list) == 0 {
		return nil, nil
	}
	return l, l.readable()
}

func inBytes(v float64) string   { return report.Bytes(int64(v)) }
func inPercent(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }

func (l *levels) add(name string, mark float64, show func(float64) string, read func() (float64, error)) {
	if mark > 0 {
		l.list = append(l.list, level{name: name, mark: mark, next: mark, read: read, show: show})
	}
}

func (l *levels) readable() error {
	for i := range l.list {
		if _, err := l.list[i].read(); err != nil {
			return fmt.Errorf("reading the %s: %w", l.list[i].name, err)
		}
	}
	return nil
}

// reached says which levels have reached what they must for another dump; "" if none has, or if the last is too recent. A
// level that cannot be read this time has not.
func (l *levels) reached(now time.Time) (which string) {
	early := !l.last.IsZero() && now.Sub(l.last) < l.pause
	for i := range l.list {
		v := &l.list[i]
		is, err := v.read()
		if err != nil {
			continue
		}
		if is < fallen*v.mark {
			v.next = v.mark
		}
		if is < v.next || early {
			continue
		}
		v.next = is * (1 + l.growth)
		if which != "" {
			which += ", "
		}
		which += v.name + ": " + v.show(is)
	}
	if which != "" {
		l.last = now
	}
	return which
}
