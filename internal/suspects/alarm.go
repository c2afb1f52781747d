package suspects

import (
	"maps"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
)

// Alarm calls a function when a stack is newly suspected, which is to be a leak, to grow or to be a queue, and when its class
// changes to another of these. For one stack and one class it calls no more than once an hour; in all, no more than mostNews
// times for each moment or search. What a bound holds back is called later, if it is still so. A call waits until somebody has looked for
// pointers while the stack grew, if a Search may soon. Calls follow each other in one goroutine that there is only while it has something
// to do.
type Alarm struct {
	verdicts func() []Verdict
	prepare  func(news []Verdict) []func()
	task     *background.Task
	told     map[uint64]*told     // by stack; used by the task only
	search   *Search              // may be nil
	held     map[uint64]time.Time // since when calls wait for that, by stack; used by the task only

	mu    sync.Mutex // guards what follows
	ended bool
	pass  chan struct{} // closed when the pass that is running ends; nil if none is
}

const (
	mostNews = 10
	sameNews = time.Hour
	patience = time.Second
)

// told is what was told of a stack.
type told struct {
	class Class // the last; Steady if the stack was not suspected since
	when  [Queue + 1]time.Time
}

// NewAlarm returns one that judges by verdicts when it is asked. prepare returns what to call for each of the news, nil for one that
// is not to be told now; what it returns must not panic. A panic of the others goes to failed.
func NewAlarm(verdicts func() []Verdict, prepare func(news []Verdict) []func(), failed func(error)) *Alarm {
	a := &Alarm{verdicts: verdicts, prepare: prepare, told: make(map[uint64]*told), held: make(map[uint64]time.Time)}
	a.task = background.New("the alarm of suspects", a.look, failed)
	return a
}

// Ask has it look at the verdicts soon. It does not wait, and may be called of nil.
func (a *Alarm) Ask() {
	if a != nil {
		a.task.Ask()
	}
}

// look calls what is new.
func (a *Alarm) look() {
	if !a.begin() {
		return
	}
	defer a.done() // also if the host's function ends the goroutine
	news := a.news(a.verdicts())
	if len(news) == 0 {
		return
	}
	for i, call := range a.prepare(news) {
		if call == nil {
			continue
		}
		if a.over() {
			return
		}
		a.note(&news[i])
		call()
	}
}

// news returns what is to be told, the most suspect first.
func (a *Alarm) news(verdicts []Verdict) (list []Verdict) {
	suspected := make(map[uint64]bool)
	for _, v := range verdicts {
		if v.Class > Queue {
			continue
		}
		suspected[v.Stack] = true
		t := a.told[v.Stack]
		if t != nil && (t.class == v.Class || v.Time.Sub(t.when[v.Class]) < sameNews) {
			continue
		}
		if a.waits(&v) {
			continue
		}
		if len(list) < mostNews {
			list = append(list, v)
		}
	}
	if len(verdicts) > 0 {
		a.forget(suspected, verdicts[0].Time)
	}
	return list
}

// waits reports whether a call waits until somebody has looked for pointers while the stack grew; if so, that is asked for.
func (a *Alarm) waits(v *Verdict) bool {
	if a.search == nil || v.Thing != nil || v.lookedAt() {
		return false
	}
	if _, known := a.held[v.Stack]; !known {
		a.held[v.Stack] = time.Now()
	}
	return a.search.comes(a.held[v.Stack])
}

// forget enters which stacks are not suspected any more, and forgets what has no effect.
func (a *Alarm) forget(suspected map[uint64]bool, now time.Time) {
	maps.DeleteFunc(a.held, func(stack uint64, _ time.Time) bool { return !suspected[stack] })
	maps.DeleteFunc(a.told, func(stack uint64, t *told) bool {
		if suspected[stack] {
			return false
		}
		t.class = Steady
		for _, when := range t.when {
			if now.Sub(when) < sameNews {
				return false
			}
		}
		return true
	})
}

// note enters that a verdict is told.
func (a *Alarm) note(v *Verdict) {
	t := a.told[v.Stack]
	if t == nil {
		t = new(told)
		a.told[v.Stack] = t
	}
	t.class = v.Class
	t.when[v.Class] = v.Time
}

// begin begins a pass; false after Stop.
func (a *Alarm) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return false
	}
	a.pass = make(chan struct{})
	return true
}

func (a *Alarm) done() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.pass)
	a.pass = nil
}

func (a *Alarm) over() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// Stop ends it, also if it is nil. No call is begun any more. Stop waits for one that is running, but for a second at most: it may block,
// or may be what calls Stop.
func (a *Alarm) Stop() {
	if a == nil {
		return
	}
	a.task.Quit()
	a.mu.Lock()
	a.ended = true
	pass := a.pass
	a.mu.Unlock()
	if pass == nil {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-pass:
	case <-timer.C:
	}
}
