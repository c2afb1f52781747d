package dump

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// HighWater has the marks of memory at which a dump is made: see cgoheap.HighWater.
type HighWater struct {
	Native int64
	RSS    int64
	Cgroup float64
	Growth float64
	Pause  time.Duration

	Rate       int64
	RateWindow time.Duration
}

const (
	defaultGrowth = 0.25
	defaultPause  = 10 * time.Minute
	fallen        = 0.9 // of the mark: once below, reaching the mark counts again
)

// levels returns nil if no level is watched. A level that cannot be read is an error.
func (h HighWater) levels(native func() int64) (*levels, error) {
	if err := h.check(); err != nil {
		return nil, err
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
	l.rate = h.rate(native)
	if len(l.list) == 0 && l.rate == nil {
		return nil, nil
	}
	return l, l.readable()
}

// check returns an error that names the invalid field. NaN fails every comparison.
func (h HighWater) check() error {
	const negative = "is %v; it may not be negative"
	switch {
	case h.Native < 0:
		return &FieldError{"HighWater.Native", fmt.Errorf(negative, h.Native)}
	case h.RSS < 0:
		return &FieldError{"HighWater.RSS", fmt.Errorf(negative, h.RSS)}
	case !(h.Cgroup >= 0 && h.Cgroup <= 1):
		return &FieldError{"HighWater.Cgroup", fmt.Errorf("is %v; it is a share, from 0 to 1", h.Cgroup)}
	case !(h.Growth >= 0):
		return &FieldError{"HighWater.Growth", fmt.Errorf(negative, h.Growth)}
	case h.Pause < 0:
		return &FieldError{"HighWater.Pause", fmt.Errorf(negative, h.Pause)}
	case h.Rate < 0:
		return &FieldError{"HighWater.Rate", fmt.Errorf(negative, h.Rate)}
	case h.RateWindow != 0 && h.Rate == 0:
		return &FieldError{"HighWater.RateWindow", fmt.Errorf("is %v, but no rate is set", h.RateWindow)}
	case h.RateWindow != 0 && (h.RateWindow < leastRateWindow || h.RateWindow > mostRateWindow):
		return &FieldError{"HighWater.RateWindow", fmt.Errorf("is %v; it must be 0 or from %v to %v", h.RateWindow, leastRateWindow, mostRateWindow)}
	}
	return nil
}

// rate returns nil if no growth is watched.
func (h HighWater) rate(native func() int64) *rate {
	if h.Rate == 0 {
		return nil
	}
	r := &rate{mark: float64(h.Rate), window: h.RateWindow, read: native}
	if r.window == 0 {
		r.window = defaultRateWindow
	}
	return r
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
