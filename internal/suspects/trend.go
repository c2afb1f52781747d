package suspects

import "time"

// Trend is what the moments say of a stack.
type Trend struct {
	Stack, Site uint64
	Since, Time time.Time // of the first and the last moment
	Moments     int
	Bytes       float64 // in use at the last
	Blocks      float64
	BytesError  float64 // half of the 95 % interval
	Age         time.Duration
	Growth      float64 // bytes per minute
	GrowthError float64 // half of the 95 % interval: of sampling, not of a program that does not go on as it has
	Freed       float64 // share that is freed of the bytes allocated meanwhile that were there at three moments
	Series      []Moment

	alive    [mostMoments]float32 // bytes in use by the number of the moment in Series at which they were there first
	variance [mostMoments]float64 // of the bytes in use, by moment
	stepped  [mostMoments]float64 // the variance of their difference from those of the moment before
	single   float64              // the largest variance of one block
	course

	lasted float64    // bytes of which Freed is a share
	steady float64    // share of the movement that a straight line explains
	steps  [3]float64 // from quarter to quarter of the time, as shares of the mean step
}

// deviations is how many standard deviations 95 % of a normal distribution lie within.
const deviations = 1.96

// Trends returns what is known of each stack that is kept, in no order. Tick is the unit of ticks.
func (h *History) Trends(tick time.Duration) []Trend {
	if len(h.moments) == 0 {
		return nil
	}
	list := make([]Trend, 0, len(h.tracks))
	for _, t := range h.tracks {
		list = append(list, h.trend(t, tick))
	}
	return list
}

func (h *History) trend(t *track, tick time.Duration) Trend {
	n := len(h.moments) - 1
	made := Trend{Stack: t.stack, Site: t.site, Series: h.series(t), Since: h.moments[t.from].time, Time: h.moments[n].time, Moments: n + 1 - t.from,
		Bytes: t.bytes[n], Blocks: t.blocks, Age: time.Duration(max(0, float64(h.moments[n].ticks)-t.born)) * tick}
	for i := t.from; i <= n; i++ {
		made.alive[i-t.from] = t.live[i].bytes
	}
	var level [mostMoments]float64
	level[n] = 1
	made.BytesError = t.error(&level, n)
	if made.Moments < 2 {
		return made
	}
	c := h.slope(t.from)
	for i := t.from; i <= n; i++ {
		made.Growth += c[i] * (t.bytes[i] - t.bytes[t.from]) // the factors add up to 0: what does not change has a growth of 0, exactly
	}
	made.GrowthError = t.error(&c, n)
	made.Freed, made.lasted = t.freed(n)
	t.variances(&made, n)
	made.shape()
	made.follow()
	return made
}

// variances enters those of the moments and of the steps between them.
func (t *track) variances(made *Trend, n int) {
	var now float64
	for i := t.from; i <= n; i++ {
		came, went := float64(t.live[i].variance), 0.0
		for last := i; last < n; last++ {
			came += float64(t.ended.at(i, last).variance)
		}
		for first := t.from; first < i; first++ {
			went += float64(t.ended.at(first, i-1).variance)
		}
		now = max(0, now+came-went)
		made.variance[i-t.from], made.stepped[i-t.from] = now, came+went
	}
	made.single = t.single
}

// slope returns the factors of the values at the moments whose sum is the least-squares slope, per minute.
func (h *History) slope(from int) (c [mostMoments]float64) {
	var mean, squares float64
	for _, m := range h.moments[from:] {
		mean += h.minutes(m) / float64(len(h.moments)-from)
	}
	for _, m := range h.moments[from:] {
		squares += (h.minutes(m) - mean) * (h.minutes(m) - mean)
	}
	for i := from; i < len(h.moments); i++ {
		c[i] = (h.minutes(h.moments[i]) - mean) / squares
	}
	return c
}

func (h *History) minutes(m moment) float64 { return m.time.Sub(h.moments[0].time).Minutes() }

// error returns half of the 95 % interval of Σ cᵢXᵢ: see doc.go.
func (t *track) error(c *[mostMoments]float64, n int) float64 {
	variance, fourth := t.variance(c, n)
	if variance <= 0 {
		return 0
	}
	return halfOf(variance, t.single*fourth/variance)
}

// variance returns the sum of vS² over the sampled blocks, and of vS⁴.
func (t *track) variance(c *[mostMoments]float64, n int) (variance, fourth float64) {
	for first := range n + 1 {
		factor := 0.0
		for last := first; last <= n; last++ {
			factor += c[last]
			v := float64(t.ended.at(first, last).variance)
			if last == n {
				v += float64(t.live[first].variance)
			}
			variance += v * factor * factor
			fourth += v * factor * factor * factor * factor
		}
	}
	return variance, fourth
}

// lasting is at how many moments a block must have been there to count as one that lasts.
const lasting = 3

// freed returns the share that is freed of the bytes that were allocated since the first moment and have lasted, and those.
func (t *track) freed(n int) (share, all float64) {
	var freed float64
	for first := t.from + 1; first <= n-lasting+1; first++ {
		all += float64(t.live[first].bytes)
		for last := first + lasting - 1; last < n; last++ {
			freed += float64(t.ended.at(first, last).bytes)
		}
	}
	if all += freed; all == 0 {
		return 0, 0
	}
	return freed / all, all
}

// shape compares the movement with a straight line.
func (made *Trend) shape() {
	made.steady, made.steps = 0, [3]float64{}
	count, start := made.Moments, made.Series[0]
	minutes := func(m Moment) float64 { return m.Time.Sub(start.Time).Minutes() }
	var mean, meanTime float64
	for _, m := range made.Series {
		mean += (m.Bytes - start.Bytes) / float64(count)
		meanTime += minutes(m) / float64(count)
	}
	var rest, all float64
	for _, m := range made.Series {
		off := m.Bytes - start.Bytes - mean
		beside := off - made.Growth*(minutes(m)-meanTime)
		all, rest = all+off*off, rest+beside*beside
	}
	if all == 0 || count < 8 {
		return
	}
	made.steady = 1 - rest/all
	var quarters [4]float64
	for q := range quarters {
		part := made.Series[q*count/4 : (q+1)*count/4]
		for _, m := range part {
			quarters[q] += m.Bytes / float64(len(part))
		}
	}
	rise := (quarters[3] - quarters[0]) / 3
	for q := 0; q < len(made.steps) && rise != 0; q++ {
		made.steps[q] = (quarters[q+1] - quarters[q]) / rise
	}
}
