package audit

import "fmt"

// These bounds must hold.
const (
	mostError  = 0.01 // the sum's distance from RSS, as a part of RSS
	leastNamed = 0.95 // the part of RSS that has a name
)

// A busy machine has fewer moments that show something: the account waits, and RSS moves meanwhile, or the load waits. So accounts
// are taken until one in partOfAsked of those asked for were steady, and the load ended a round in as many; but not for ever.
const (
	partOfAsked = 10
	mostTaken   = 30 // times those asked for
)

// The lines that are no names.
const (
	callerUnknown = "mapped, caller unknown"
	unexplained   = "unexplained"
)

// Sum returns what the lines add up to.
func (m *Moment) Sum() (sum int64) {
	for _, bytes := range m.Lines {
		sum += bytes
	}
	return sum
}

// Error returns by how much the sum lies outside of the kernel's answers, as a part of RSS.
func (m *Moment) Error() float64 { return m.beyond(m.Least, m.Most) }

// Excess returns by how much the sum lies outside of what it can be while RSS moves, as a part of RSS. The account looks at one page after
// the other. What was resident first, and what became resident since, is the most that it can count: a page that the load gave back, and
// the one that took its place, may both be in the sum. What is resident at last without having become so meanwhile, it must count.
func (m *Moment) Excess() float64 {
	return m.beyond(min(m.Least, m.Last-m.Faulted), max(m.Most, m.First+m.Faulted))
}

func (m *Moment) beyond(least, most int64) float64 {
	sum := m.Sum()
	return float64(max(0, least-sum, sum-most)) / float64(m.Least)
}

// Moved returns by how much the kernel's answers differ, as a part of RSS.
func (m *Moment) Moved() float64 { return float64(m.Most-m.Least) / float64(m.Least) }

// BecameResident returns how much became resident during the account, as a part of RSS.
func (m *Moment) BecameResident() float64 { return float64(m.Faulted) / float64(m.Least) }

// Named returns the part of the sum that has a name.
func (m *Moment) Named() float64 {
	return 1 - float64(m.unnamed())/float64(m.Sum())
}

func (m *Moment) unnamed() int64 { return m.Lines[callerUnknown] + m.Lines[unexplained] }

// nameless reports that too much has no name, although it was there when the account began.
func (m *Moment) nameless() bool {
	return float64(m.unnamed()-m.Faulted) > (1-leastNamed)*float64(m.Sum())
}

// Most returns the largest value of the moments.
func (r *Result) Most(of func(*Moment) float64) (most float64) {
	for i := range r.Moments {
		most = max(most, of(&r.Moments[i]))
	}
	return most
}

// Mean returns the mean value of the moments.
func (r *Result) Mean(of func(*Moment) float64) (mean float64) {
	for i := range r.Moments {
		mean += of(&r.Moments[i]) / float64(len(r.Moments))
	}
	return mean
}

// Steady returns in how many moments RSS moved by less than what the sum may be wrong by.
func (r *Result) Steady() (n int) {
	for i := range r.Moments {
		if r.Moments[i].Moved() < mostError {
			n++
		}
	}
	return n
}

// Worked returns in how many moments the load ended a round.
func (r *Result) Worked() (n int) {
	for i := range r.Moments {
		if r.Moments[i].Rounds > 0 {
			n++
		}
	}
	return n
}

func (r *Result) needed() int { return (r.Asked + partOfAsked - 1) / partOfAsked }

// shows reports whether the moments are enough to judge.
func (r *Result) shows() bool {
	return len(r.Moments) >= r.Asked && (r.Rest || r.Steady() >= r.needed() && r.Worked() >= r.needed())
}

// Working returns how many processors the load had during the accounts.
func (r *Result) Working() float64 {
	var worked, took float64
	for i := range r.Moments {
		worked += r.Moments[i].Worked.Seconds()
		took += r.Moments[i].Took.Seconds()
	}
	return worked / took
}

// Faults returns what does not hold.
func (r *Result) Faults() (list []string) {
	fault := func(bad bool, format string, a ...any) {
		if bad {
			list = append(list, fmt.Sprintf(format, a...))
		}
	}
	wrong := (*Moment).Excess
	if r.Rest {
		wrong = (*Moment).Error
	}
	fault(len(r.Moments) < r.Asked, "%d accounts instead of %d", len(r.Moments), r.Asked)
	for i := range r.Moments {
		m := &r.Moments[i]
		fault(m.Partial != "", "account %d is partial: %s", i, m.Partial)
		fault(wrong(m) >= mostError, "account %d adds up to %d bytes, the kernel says %d to %d", i, m.Sum(), m.Least, m.Most)
		fault(m.nameless(), "only %.1f %% of account %d have a name", 100*m.Named(), i)
	}
	fault(r.Rounds == 0, "the load did nothing meanwhile")
	if named := r.Mean((*Moment).Named); len(r.Moments) > 0 {
		fault(named < leastNamed, "only %.1f %% of RSS have a name in the mean", 100*named)
	}
	if !r.Rest {
		fault(r.Steady() < r.needed(), "RSS moved by less than %g %% in only %d accounts", 100*mostError, r.Steady())
		fault(r.Worked() < r.needed(), "the load ended a round in only %d accounts", r.Worked())
	}
	return list
}
