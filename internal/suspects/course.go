package suspects

import (
	"math"
	"time"
)

// course is what the moments show of the way that a stack went. The zero value is one that goes up as a straight line.
type course struct {
	peak   int       // the moment in Series at which most was in use
	rose   bool      // it rose, beyond the error
	ebbs   bool      // it fell by half of all that it moved
	wavers bool      // so, beyond the error
	fell   bool      // and by a good part of what was in use
	moved  bool      // it rose by such a part
	short  bool      // less is in use than its growth would have made
	patchy bool      // it grew at few of the moments
	still  time.Time // it has not grown since, and that for longer than it ever rested while it grew; zero if not
}

const (
	aPart      = 0.25           // of the most in use: what moves by less is steady
	surelyFell = 4 / deviations // the deepest of many falls
	aStep      = 0.1            // of all that it moved: by so much, at least, it rises
	creeps     = 0.02           // of all that it moved: by so much it may rise while it does not grow
	creeping   = 1.645 / deviations
	longer     = 2.5 // times as long as it ever rested it has to be still
	steadyish  = 0.4 // of the moments: at so many it grows, if that is steady
)

// apart returns half of the interval of the difference between two moments, or more: what came and went between them counts twice.
func (made *Trend) apart(a, b int) float64 {
	var variance float64
	for i := a + 1; i <= b; i++ {
		variance += made.stepped[i]
	}
	return halfOf(min(variance, made.variance[a]+made.variance[b]), made.single)
}

// halfOf returns half of the 95 % interval of what has a variance, if that of one sample is known: see doc.go.
func halfOf(variance, one float64) float64 {
	if variance <= 0 {
		return 0
	}
	return deviations * math.Sqrt(variance+deviations*deviations/2*one)
}

// peakError returns half of the interval of what was in use at the peak.
func (made *Trend) peakError() float64 { return halfOf(made.variance[made.peak], made.single) }

// follow finds out which way it went.
func (made *Trend) follow() {
	made.course = course{}
	at := func(i int) float64 { return made.Series[i].Bytes }
	last := len(made.Series) - 1
	least := at(0)
	for i := range made.Series {
		least = min(least, at(i))
		if at(i) >= at(made.peak) {
			made.peak = i
		}
	}
	moved := at(made.peak) - least
	if last < 1 || moved <= 0 {
		return
	}
	high, low := 0, 0
	for i := range made.Series {
		if at(i) >= at(high) {
			high = i
		}
		if at(i) <= at(low) {
			low = i
		}
		fall := at(high) - at(i)
		made.ebbs = made.ebbs || fall >= moved/2
		if fall >= moved/2 && fall > surely*made.apart(high, i) {
			made.wavers = true
			made.fell = made.fell || fall >= aPart*at(made.peak) && fall > surelyFell*made.apart(high, i)
		}
		if rise := at(i) - at(low); rise >= aPart*at(made.peak) && rise > surely*made.apart(low, i) {
			made.moved = true
		}
	}
	made.short = at(last)-at(0) < made.Growth*made.Time.Sub(made.Since).Minutes()/2
	made.patchy = made.grewSeldom()
	made.rest(moved)
}

// rest finds out whether it is still for longer than it ever rested while it grew. All that it moved is known.
func (made *Trend) rest(moved float64) {
	at := func(i int) float64 { return made.Series[i].Bytes }
	last := len(made.Series) - 1
	var rested time.Duration
	rises, low := 0, 0
	var risen time.Time
	for i := range made.Series {
		if at(i) <= at(low) {
			low = i
		}
		if rise := at(i) - at(low); rise < aStep*moved || rise <= surely*made.apart(low, i) {
			continue
		}
		before := risen
		if rises == 0 {
			before = made.Series[low].Time
		}
		risen = made.Series[i].Time
		rested = max(rested, risen.Sub(before))
		rises, low = rises+1, i
	}
	if made.rose = rises > 0; !made.rose {
		return
	}
	for i := range made.Series {
		if m := made.Series[i]; m.Time.Before(risen) || at(last)-at(i) > max(creeps*moved, creeping*made.apart(i, last)) {
			continue
		} else if still := made.Time.Sub(m.Time); still >= rising && float64(still) >= longer*float64(rested) {
			made.still = m.Time
		}
		return
	}
}

// grewSeldom reports whether what it grew by came at few moments. Were it n equal parts, it would be at n. Of a straight line, few samples
// are seen at fewer moments than there are.
func (made *Trend) grewSeldom() bool {
	var all, squares float64
	moments := float64(len(made.Series) - 1)
	for i := range len(made.Series) - 1 {
		by := max(0, made.Series[i+1].Bytes-made.Series[i].Bytes)
		all, squares = all+by, squares+by*by
	}
	if squares == 0 {
		return false
	}
	least := steadyish * moments
	if one := made.variance[len(made.Series)-1] / made.Bytes; one > 0 {
		samples := all / one
		least *= samples / (samples + moments)
	}
	return all*all/squares < least
}

// level reports whether it can have moved by no more than half of what is in use, as far as a straight line tells.
func (made *Trend) level() bool {
	return !made.moved && (math.Abs(made.Growth)+made.GrowthError)*made.Time.Sub(made.Since).Minutes() <= made.Bytes/2
}

// climbs reports whether it rises, and still does as far as that is known, so that what is in use is about what its growth has made.
func (made *Trend) climbs() bool {
	return made.rises() && !made.halts()
}

// slows reports whether it is not known to have grown in the last two of three steps or more.
func (made *Trend) slows() bool {
	last := len(made.Series) - 1
	if last < 1 {
		return false
	}
	return last < 3 || made.Series[last].Bytes-made.Series[last-2].Bytes <= creeping*made.apart(last-2, last)
}

// halts reports whether it does not grow any more, as far as that is known.
func (made *Trend) halts() bool { return made.wavers || made.short || !made.still.IsZero() }

// early reports whether it is too early to say that it does not grow.
func (made *Trend) early() bool {
	return made.Moments > 1 && !made.climbs() && made.Time.Sub(made.Since) < rising
}
