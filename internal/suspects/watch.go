package suspects

import (
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
)

// Read reads the live blocks: it calls take with the ticks from which on they do not count, and with a function that yields
// them.
type Read func(take func(ticks uint64, each func(func(*Block)))) error

// Watch takes moments while somebody wants them: in a goroutine that there is only while one is taken.
type Watch struct {
	read   Read
	tick   time.Duration
	always bool
	search *Search
	alarm  *Alarm
	now    func() time.Time
	task   *background.Task

	mu      sync.Mutex // guards what follows
	timer   *time.Timer
	asked   time.Time // when somebody last wanted to know
	stopped bool

	taking  sync.Mutex // guards what follows
	history *History
	outside outside // the task alone uses its read and due
}

// share is how many times as long as a moment took until the next, at least: half a percent of one processor.
const share = 200

// Options are what a Watch works with.
type Options struct {
	Read   Read
	Tick   time.Duration // of Read
	Always bool          // once begun, it goes on without being asked
	Search *Search       // asked when a stack grows; may be nil
	Alarm  *Alarm        // asked after each moment; may be nil
	Failed func(error)   // called with a panic, as an error

	Outside func() ([]Thing, error) // reads what is outside malloc's heap; may be nil
	Now     func() time.Time        // when a moment is; nil: time.Now
}

// NewWatch returns one that takes no moments until it is asked.
func NewWatch(o Options) *Watch {
	w := &Watch{read: o.Read, tick: o.Tick, always: o.Always, search: o.Search, alarm: o.Alarm, history: newHistory(),
		outside: outside{read: o.Outside, history: newHistory()}}
	if o.Alarm != nil {
		o.Alarm.search = o.Search
	}
	if w.now = o.Now; w.now == nil {
		w.now = time.Now
	}
	w.task = background.New("the moments for suspects", w.take, o.Failed)
	return w
}

// Want has moments taken for an hour to come. The first call begins, and waits for nothing.
func (w *Watch) Want() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = time.Now()
	if w.timer == nil && !w.stopped {
		w.timer = time.AfterFunc(time.Hour, w.task.Ask)
		w.task.Ask()
	}
}

// Look has a moment taken soon, beside those that are due, if any are.
func (w *Watch) Look() {
	if w.Running() {
		w.task.Ask()
	}
}

// take takes a moment, and arranges the next.
func (w *Watch) take() {
	begin, now := time.Now(), w.now()
	next := shortest // after a panic, too
	defer func() { w.arrange(next) }()
	every, err := w.add(now)
	if err != nil {
		next = every
		return
	}
	for _, v := range w.Verdicts() {
		if v.asks(now) {
			w.search.Ask()
			break
		}
	}
	next = max(every, share*time.Since(begin))
	w.lookOutside(now)
	w.alarm.Ask()
}

// add adds a moment to the history, and returns the time until the next. None is added if the blocks cannot be read.
func (w *Watch) add(now time.Time) (every time.Duration, err error) {
	w.taking.Lock()
	defer w.taking.Unlock()
	err = w.read(func(ticks uint64, each func(func(*Block))) { w.history.Add(now, ticks, each) })
	return w.history.Every(), err
}

// forget forgets all moments.
func (w *Watch) forget() {
	w.taking.Lock()
	defer w.taking.Unlock()
	w.history = newHistory()
	w.outside.history, w.outside.things = newHistory(), nil
}

// Running reports whether moments are being taken; false for nil.
func (w *Watch) Running() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.timer != nil && !w.stopped
}

// Moments returns how many moments are kept, and when the first of them was; 0 for nil.
func (w *Watch) Moments() (kept int, since time.Time) {
	if w == nil {
		return 0, since
	}
	w.taking.Lock()
	defer w.taking.Unlock()
	if kept = len(w.history.moments); kept > 0 {
		since = w.history.moments[0].time
	}
	return kept, since
}

// Outside returns why nothing was learnt of things outside malloc's heap the last time; nil if something was.
func (w *Watch) Outside() (failure error) {
	w.taking.Lock()
	defer w.taking.Unlock()
	return w.outside.failure
}

// Verdicts returns the stacks, and what grows outside malloc's heap, the most suspect first.
func (w *Watch) Verdicts() []Verdict {
	w.taking.Lock()
	trends, others := w.history.Trends(w.tick), w.outside.verdicts()
	w.taking.Unlock()
	list := judge(trends, w.search.Of)
	for i := range list {
		if f := list[i].Finding; f != nil && f.Freed {
			w.search.hides(list[i].Stack)
		}
	}
	list = append(list, others...)
	rank(list)
	return list
}

// arrange has the next moment taken, unless nobody has asked for as long as moments are kept: then all are forgotten.
func (w *Watch) arrange(next time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopped || w.timer == nil:
	case !w.always && time.Since(w.asked) > memory:
		w.timer = nil
		w.forget()
	default:
		w.timer.Reset(next)
	}
}

// Stop ends it, also if it is nil. When it returns, the blocks are not read any more.
func (w *Watch) Stop() {
	if w == nil {
		return
	}
	w.mu.Lock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Unlock()
	w.task.End()
}
