package dump

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/report"
)

// Growth that lasts, told from a jump and from a cache.
//
// A window of the last readings is cut into six parts of equal length. With mᵢ the mean of the readings in part i = 0 … 5, the
// growth is the least-squares slope of the means over the middles of their parts,
//
//	growth = Σ (i − 5/2)·mᵢ / Σ (i − 5/2)² = Σ (i − 5/2)·mᵢ / 17.5 bytes per part
//
// Memory grows too fast if that reaches the rate, and if in addition each of the five steps mᵢ₊₁ − mᵢ is at least half of what
// the rate makes in one part. A jump moves the means of two steps at most, so it takes three jumps, spread over the window, to
// move all five. A cache that fills and is emptied within the window has a step down, or, if it does so many times, parts with
// equal means. Growth that is much faster than the rate is seen once it reaches back into the second part: after two thirds of the
// window. Of a cache that takes longer than the window to fill, the window shows growth: it cannot be told from a leak.
//
// Means are of sampled estimates, which jitter. So is a single step; that is why a step need only reach half.
const (
	rateParts  = 6
	partSlots  = 10 // the window moves on by a tenth of a part
	rateSlots  = rateParts * partSlots
	leastStep  = 0.5
	growthOver = 0.5 // of the rate: once below, growth that reaches the rate counts again

	defaultRateWindow = 10 * time.Minute
	leastRateWindow   = time.Minute // a slot has a reading then
	mostRateWindow    = 24 * time.Hour
)

// rate is the mark of the growth of native memory. It takes 1 KB, however long the window is.
type rate struct {
	mark   float64 // bytes per minute
	window time.Duration
	read   func() int64

	begin time.Time // of the slot with number 0; zero before the first reading
	last  int       // the number of the slot that is being filled
	slots [rateSlots + 1]slot
	is    float64 // the value last read, in bytes
	next  float64 // what is must reach for another dump while the growth goes on; 0 if that is over
}

// slot has the readings of a short time.
type slot struct {
	number, count int
	sum           float64
}

func (r *rate) at(number int) *slot { return &r.slots[number%len(r.slots)] }

// look takes a reading.
func (r *rate) look(now time.Time) {
	r.is = float64(r.read())
	if r.begin.IsZero() {
		r.begin = now
	}
	r.last = max(r.last, int(now.Sub(r.begin)/(r.window/rateSlots)))
	s := r.at(r.last)
	if s.number != r.last {
		*s = slot{number: r.last}
	}
	s.sum += r.is
	s.count++
}

// growth returns the growth over the window that ends with the last whole slot, in bytes per minute, and the least of its
// steps, too. known is false until there were readings for a window, and where half of those of a part are missing, because the
// process stood still.
func (r *rate) growth() (slope, least float64, known bool) {
	first := r.last - rateSlots
	if first < 0 {
		return 0, 0, false
	}
	perMinute := rateParts / r.window.Minutes()
	before := 0.0
	for i := range rateParts {
		mean, known := r.mean(first+i*partSlots, partSlots)
		if !known {
			return 0, 0, false
		}
		slope += (float64(i) - 2.5) * mean / 17.5 * perMinute
		if step := (mean - before) * perMinute; i == 1 || i > 1 && step < least {
			least = step
		}
		before = mean
	}
	return slope, least, true
}

// mean returns the mean of the readings in so many slots.
func (r *rate) mean(first, slots int) (mean float64, known bool) {
	sum, count, filled := 0.0, 0, 0
	for number := first; number < first+slots; number++ {
		if s := r.at(number); s.number == number && s.count > 0 {
			sum, count, filled = sum+s.sum, count+s.count, filled+1
		}
	}
	return sum / max(1, float64(count)), 2*filled > slots
}

// reached says how memory grows if that calls for a dump; "" if not.
func (r *rate) reached() string {
	slope, least, known := r.growth()
	if known && slope < growthOver*r.mark {
		r.next = 0
	}
	if !known || slope < r.mark || least < leastStep*r.mark || r.is < r.next {
		return ""
	}
	return fmt.Sprintf("growth of native memory in use: %s/min for %s, to %s", report.Bytes(int64(slope)), inMinutes(r.window), report.Bytes(int64(r.is)))
}

func inMinutes(d time.Duration) string { return fmt.Sprintf("%.4g min", d.Minutes()) }

// dumped raises what must be in use for the next dump, if there was one because of the growth, or while it lasted.
func (r *rate) dumped(growth float64) {
	if r.reached() != "" {
		r.next = r.is * (1 + growth)
	}
}
