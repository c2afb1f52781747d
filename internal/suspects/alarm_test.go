package suspects

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
)

// quietAlarm is one whose verdicts are given to news by the test.
func quietAlarm() *Alarm { return NewAlarm(nil, nil, nil) }

// tellsOf has an alarm look at stacks of these classes at a minute, and returns the stacks that it tells of.
func tellsOf(a *Alarm, minute int, classes map[uint64]Class) (stacks []uint64) {
	var list []Verdict
	for stack, class := range classes {
		list = append(list, Verdict{Trend: Trend{Stack: stack, Time: simStart.Add(time.Duration(minute) * time.Minute)}, Class: class})
	}
	for _, v := range a.news(list) {
		a.note(&v)
		stacks = append(stacks, v.Stack)
	}
	return stacks
}

func TestAlarmTellsWhatIsNew(t *testing.T) {
	type step struct {
		minute int
		class  Class
		told   bool
	}
	for about, steps := range map[string][]step{
		"a new suspect once":                   {{0, Steady, false}, {1, Unsure, false}, {2, Grows, true}, {3, Grows, false}, {90, Grows, false}, {500, Grows, false}},
		"and again when its class changes":     {{0, Grows, true}, {1, Leak, true}, {2, Leak, false}, {70, Grows, true}},
		"not what goes to and fro":             {{0, Grows, true}, {1, Queue, true}, {2, Grows, false}, {3, Queue, false}, {59, Grows, false}, {60, Grows, true}, {61, Queue, true}},
		"nor what is suspected again soon":     {{0, Grows, true}, {1, Unsure, false}, {2, Grows, false}, {40, Steady, false}, {50, Grows, false}},
		"until an hour later, if it still is":  {{0, Grows, true}, {1, Unsure, false}, {2, Grows, false}, {61, Grows, true}, {62, Grows, false}},
		"one that is suspected again later is": {{0, Leak, true}, {1, Steady, false}, {100, Leak, true}},
	} {
		t.Run(about, func(t *testing.T) {
			a := quietAlarm()
			for i, s := range steps {
				if got := len(tellsOf(a, s.minute, map[uint64]Class{1: s.class})) == 1; got != s.told {
					t.Errorf("step %d: %t", i, got)
				}
			}
		})
	}

	t.Run("many are told in turn, and forgotten when they have no effect", func(t *testing.T) {
		a, classes, seen := quietAlarm(), map[uint64]Class{}, map[uint64]bool{}
		for stack := range uint64(25) {
			classes[stack] = Grows
		}
		for minute, want := range []int{10, 10, 5, 0} {
			got := tellsOf(a, minute, classes)
			for _, stack := range got {
				seen[stack] = true
			}
			if len(got) != want {
				t.Errorf("minute %d: %d, want %d", minute, len(got), want)
			}
		}
		if len(seen) != 25 {
			t.Errorf("%d", len(seen))
		}
		if tellsOf(a, 200, map[uint64]Class{99: Steady}); len(a.told) != 0 {
			t.Errorf("%d are kept", len(a.told))
		}
	})
}

// What was found before a stack grew says nothing of it: a call waits for a search, if one may come soon.
func TestAlarmWaitsForASearch(t *testing.T) {
	begin := time.Now()
	grew := func(looked time.Time, thing *Thing) Verdict {
		v := Verdict{Trend: Trend{Stack: 1, Time: begin}, Class: Grows, Thing: thing}
		for minutes := 8; minutes >= 0; minutes-- {
			v.Series = append(v.Series, Moment{begin.Add(-time.Duration(minutes) * time.Minute), float64(9-minutes) * mib})
		}
		if v.Bytes = 9 * mib; !looked.IsZero() {
			v.Finding = &Finding{When: looked}
		}
		return v
	}
	minutes := func(n int) time.Time { return begin.Add(-time.Duration(n) * time.Minute) }
	for about, c := range map[string]struct {
		looked, next time.Time
		thing        *Thing
		told         bool // at once
		looks        int32
	}{
		"it was looked at at the beginning only":             {minutes(7), minutes(-3), nil, false, 0},
		"nobody has looked":                                  {time.Time{}, time.Time{}, nil, false, 1},
		"nobody has for a while":                             {minutes(20), minutes(10), nil, false, 1},
		"it was looked at when half of the growth was there": {minutes(3), minutes(-7), nil, true, 0},
		"looking costs so much that it takes an hour":        {minutes(7), minutes(-60), nil, true, 0},
		"it is none of malloc's":                             {time.Time{}, time.Time{}, &Thing{}, true, 0},
	} {
		t.Run(about, func(t *testing.T) {
			var looked atomic.Int32
			a := quietAlarm()
			a.search = NewSearch(counted(&looked, Cost{}, nil), nil)
			defer a.search.Stop()
			a.search.when, a.search.next = c.looked, c.next
			v := grew(c.looked, c.thing)
			first := a.news([]Verdict{v})
			told := len(first) == 1
			if !told {
				waitUntil(t, func() bool { _, looking, _ := a.search.State(); return looked.Load() >= c.looks && !looking })
			}
			if told != c.told || looked.Load() != c.looks {
				t.Errorf("told: %t, looked %d times", told, looked.Load())
			}
			if c.looks == 1 && len(a.news([]Verdict{v})) != 1 {
				t.Error("it waits for another search, though that one has not found anything of the stack")
			}
			if c.told {
				return
			}
			a.search.when = c.looked
			a.held[1] = begin.Add(-again - shortest)
			if len(a.news([]Verdict{v})) != 1 {
				t.Error("it waits for longer than a search may take")
			}
			a.news([]Verdict{{Trend: Trend{Stack: 2, Time: begin}, Class: Steady}})
			if len(a.held) != 0 {
				t.Error("it is kept what has no effect")
			}
		})
	}
}

// A simulated leak beside a step is told of once, as one that grows.
func TestAlarmOfAHistory(t *testing.T) {
	const mean = 64 << 10
	blocks := together(in(1, leaking(20*mib, mean)), in(2, stepping(50*mib, mean)))(rand.New(rand.NewPCG(5, 5)), 60)
	a, calls := quietAlarm(), map[uint64]int{}
	watch(sampled(rand.New(rand.NewPCG(5, 5)), blocks), 0, 60, func(h *History, _ uint64) {
		for _, v := range a.news(judge(h.Trends(simTick), nil)) {
			if a.note(&v); v.Class != Grows {
				t.Error(about(&v))
			}
			calls[v.Stack]++
		}
	})
	if calls[1] != 1 || len(calls) != 1 {
		t.Errorf("calls by stack: %v", calls)
	}
}

func leakVerdict() []Verdict {
	return []Verdict{{Trend: Trend{Stack: 1, Time: simStart}, Class: Leak}}
}

func TestAlarmEnds(t *testing.T) {
	t.Run("it waits for a call, and makes none afterwards", func(t *testing.T) {
		begun, goOn := make(chan bool), make(chan bool)
		var ended atomic.Bool
		var a *Alarm
		verdicts := append(leakVerdict(), Verdict{Trend: Trend{Stack: 2, Time: simStart}, Class: Grows})
		a = NewAlarm(func() []Verdict { return verdicts }, func([]Verdict) []func() {
			return []func(){func() { begun <- true; <-goOn; ended.Store(true) }, func() { t.Error("a call after Stop") }}
		}, nil)
		a.Ask()
		<-begun
		go func() {
			for !a.over() {
				time.Sleep(time.Millisecond)
			}
			close(goOn)
		}()
		a.Stop()
		if !ended.Load() {
			t.Error("it did not wait")
		}
		a.Ask()
		a.Stop()
		a.task.End()
	})

	t.Run("a call that blocks does not hold it up, nor one that stops it", func(*testing.T) {
		begun, goOn := make(chan bool), make(chan bool)
		a := NewAlarm(leakVerdict, func([]Verdict) []func() { return []func(){func() { begun <- true; <-goOn }} }, nil)
		a.Ask()
		<-begun
		a.Stop()
		close(goOn)
		a.task.End()

		stopped := make(chan bool)
		a = NewAlarm(leakVerdict, func([]Verdict) []func() { return []func(){func() { a.Stop(); close(stopped) }} }, nil)
		a.Ask()
		<-stopped
		a.task.End()
	})

	t.Run("none needs no care", func(*testing.T) {
		var none *Alarm
		none.Ask()
		none.Stop()
	})
}
