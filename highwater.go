package cgoheap

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// HighWater asks for a dump when memory reaches a mark, so that there is a profile of the time before the OOM kill. Each
// of the first three has its own mark, and 0 means none.
type HighWater struct {
	Native int64   // bytes of native memory in use, as the profiler estimates them
	RSS    int64   // bytes of resident memory of the process
	Cgroup float64 // share of the control group's memory limit, such as 0.8, that is not file cache which the kernel can drop

	// After a dump there is another when the same has grown by the share Growth, 0.25 if it is 0, or has come half of the way
	// that is left to the group's limit; and not before Pause is over, 10 minutes if it is 0. A dump that failed does not
	// count, and is tried again sooner.
	Growth float64
	Pause  time.Duration
}

const (
	defaultGrowth = 0.25
	defaultPause  = 10 * time.Minute
	fallen        = 0.9 // of the mark: once below, reaching the mark counts again
)

// levels is nil if nothing is to be watched. What cannot be read is a LevelError at once.
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
	l.add(level{field: "Native", name: "native memory in use", mark: float64(h.Native), show: inBytes,
		read: func() (float64, error) { return float64(native()), nil }})
	l.add(level{field: "RSS", name: "resident memory", mark: float64(h.RSS), show: inBytes, read: residentMemory})
	l.add(level{field: "Cgroup", name: "share of the control group's memory limit", mark: h.Cgroup, most: 1, show: inPercent, read: groupShare})
	if len(l.list) == 0 {
		return nil, nil
	}
	return l, l.readable()
}

func (l *levels) add(v level) {
	if v.mark > 0 {
		v.next = v.mark
		l.list = append(l.list, v)
	}
}

func residentMemory() (float64, error) {
	rss, err := usage.Running.RSS()
	return float64(rss), err
}

func groupShare() (float64, error) {
	group, err := usage.Running.Group()
	return group.Share(), err
}
