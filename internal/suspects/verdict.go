package suspects

import (
	"cmp"
	"slices"
	"time"
)

// Class is what a stack's blocks look like.
type Class int

// The classes, in the order in which stacks are ranked.
const (
	Leak   Class = iota // grows steadily, and nothing was found that points to a good part of the blocks, though it was looked wherever that could be
	Grows               // steadily, and little of it is freed, or nothing was found that points to it
	Queue               // steadily, although much of it is freed: it fills faster than it drains
	Unheld              // nothing was found that points to a good part of them; not known to grow steadily
	Unsure              // still rising, beyond the error; but not steadily, or not for long
	Steady
)

// String returns the name of the class.
func (c Class) String() string {
	return [...]string{"leak", "grows", "queue", "unheld", "unsure", "steady"}[c]
}

// Verdict is a Trend with what it means.
type Verdict struct {
	Trend
	Class   Class
	Finding *Finding // nil if nobody looked
	Thing   *Thing   // nil if it is about blocks of malloc
}

// When is a rise more than chance or breathing? All limits are for hundreds of stacks that are looked at again and again, so
// that a service without a leak has none: false verdicts are worse than late ones.
const (
	surely       = 2.5 / deviations // of the interval's half: 2.5 standard deviations
	leastSteady  = 0.75             // a straight line explains as much of the movement
	leastStep    = 0.35             // of the mean, from each quarter of the time to the next: a step, or what is full, has less
	mostFreed    = 0.15             // if more is freed again, the blocks are in use for a while only
	rising       = 8 * time.Minute  // for so long, at least: a cache that breathes may rise for six
	risingQueue  = 40 * time.Minute // if they are in use for a while only: many breathe
	surelyQueue  = 4 / deviations   // those wander by themselves, beside the error of sampling
	steadyQueue  = 0.9
	stepQueue    = 0.5
	unheldShare  = 0.1      // of blocks that grow
	unheldSteady = 0.5      // of others
	leastUnheld  = 64 << 10 // bytes of others: many programs lose some once, at their start
)

// class returns the class of a stack.
func (v *Verdict) class() Class {
	if v.Thing != nil {
		return v.outsideClass()
	}
	rises := v.climbs()
	grows := rises && v.steadily(leastSteady, leastStep)
	fills := v.Growth > surelyQueue*v.GrowthError && v.steadily(steadyQueue, stepQueue)
	span := v.Time.Sub(v.Since)
	switch {
	case grows && span >= rising && v.unheld() >= unheldShare && v.Finding.Unread == 0:
		return Leak
	case grows && span >= rising && (v.Freed <= mostFreed || v.unheld() >= unheldShare):
		return Grows
	case rises && v.unheld() >= unheldShare, v.unheld() >= unheldSteady && v.unheld()*v.Bytes >= leastUnheld:
		return Unheld
	case rises && fills && v.Freed > mostFreed && span >= risingQueue:
		return Queue
	case rises:
		return Unsure
	}
	return Steady
}

// unheld returns the least share of the blocks to which nothing was found that points; 0 if nobody looked, or that tells nothing.
func (v *Verdict) unheld() float64 {
	if v.Finding == nil || v.Finding.Freed || v.Finding.few() {
		return 0
	}
	return v.Finding.Unreachable - v.Finding.Error
}

func (t *Trend) rises() bool { return t.Growth > 0 && t.Growth > surely*t.GrowthError && t.Moments > 1 }

// steadily reports whether it follows a straight line so well, rises by such a part of the mean step at least, and at many moments.
func (t *Trend) steadily(line, step float64) bool {
	return t.steady >= line && slices.Min(t.steps[:]) >= step && !t.patchy
}

// judge returns the stacks with something in use or with movement, the most suspect first: by class, then by the least growth
// that the interval allows, then by the least bytes in use.
func judge(trends []Trend, known findings) []Verdict {
	list := make([]Verdict, 0, len(trends))
	for _, t := range trends {
		v := Verdict{Trend: t}
		if known != nil {
			if f, ok := known(t.Stack); ok {
				f.Freed = f.Freed || f.freed(&t)
				v.Finding = &f
			}
		}
		v.Class = v.class()
		list = append(list, v)
	}
	rank(list)
	return list
}

func rank(list []Verdict) {
	slices.SortFunc(list, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(b.least(), a.least()), cmp.Compare(b.leastInUse(), a.leastInUse()),
			cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Stack, b.Stack))
	})
}

// least is the least growth that the interval allows; 0 for one that may not grow, or no longer does.
func (v *Verdict) least() float64 {
	if v.halts() {
		return 0
	}
	return max(0, v.Growth-v.GrowthError)
}

func (v *Verdict) leastInUse() float64 { return max(0, v.Bytes-v.BytesError) }

// lookedAt reports whether somebody has looked for pointers when half of what it grew by was there.
func (v *Verdict) lookedAt() bool {
	if v.Finding == nil {
		return false
	}
	if len(v.Series) == 0 {
		return true
	}
	then, first := v.Series[0].Bytes, v.Series[0].Bytes
	for _, m := range v.Series {
		if m.Time.After(v.Finding.When) {
			break
		}
		then = m.Bytes
	}
	return then-first >= (v.Bytes-first)/2
}

// asks reports whether somebody should look for pointers: it grows, and nobody has for a while.
func (v *Verdict) asks(now time.Time) bool {
	return v.Thing == nil && v.Class <= Unheld && v.climbs() && (v.Finding == nil || now.Sub(v.Finding.When) > again)
}
