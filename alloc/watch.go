//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/background"
)

// watch looks for changes of the loaded files when a sample asks for it. It has a goroutine only while it looks: the hooks
// ask through the waker, and a timer waits until a look is due.
//
// There are two reasons to ask. The loader has opened or closed libraries: then the look is due, shortestPause after the
// last one. Or a stack met code of no known module. That is usually code made at run time, and the look finds nothing. So
// each look without a change doubles the pause before the next one for this reason.
type watch struct {
	look   func() (changed bool)
	opened func() bool // reports whether the loader has opened libraries since the last look; nil where samples notice that
	task   *background.Task
	forget func() // nil if samples cannot ask: then only snapshots look

	mu sync.Mutex // guards what follows
	// timer is nil until a look has to wait: with the first one Go begins its poller, whose descriptors a program may close that imports us.
	timer  *time.Timer
	asked  cgo.Reason // since the last look
	last   time.Time  // the last look's end
	pause  time.Duration
	closed bool
}

// Tests change the longer one.
const (
	shortestPause = 10 * time.Millisecond
	longestPause  = 10 * time.Second
	askingPause   = 100 * time.Millisecond // between two calls of opened, which costs less than a look
)

var longer = func(pause time.Duration) time.Duration { return min(2*pause, longestPause) }

// await registers a function to be called when samples ask for a look. Tests replace it by one that fails.
var await = cgo.Await

// newWatch calls look whenever one is due, until close. A panic of look or of opened goes to failed.
func newWatch(look, opened func() bool, failed func(error)) *watch {
	w := &watch{look: look, opened: opened, pause: shortestPause}
	w.task = background.New("the look at loaded libraries", w.lookIfDue, failed)
	if forget, err := await(cgo.WakeUnknown|cgo.WakeLoaded, w.ask); err == nil {
		w.forget = forget
	}
	return w
}

// ask requests a look for the reason. It is made when it is due.
func (w *watch) ask(r cgo.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked |= r
	w.schedule(time.Now())
}

// schedule sets the timer for the requested look, or for asking the loader before that.
func (w *watch) schedule(now time.Time) {
	if w.closed || w.asked == 0 {
		return
	}
	wait := w.due().Sub(now)
	if w.opened != nil {
		wait = min(wait, askingPause)
	}
	switch {
	case wait <= 0:
		w.task.Ask()
	case w.timer == nil:
		w.timer = time.AfterFunc(wait, w.task.Ask)
	default:
		w.timer.Reset(wait)
	}
}

// due returns when the requested look is due.
func (w *watch) due() time.Time {
	if w.asked&cgo.WakeLoaded != 0 {
		return w.last.Add(shortestPause)
	}
	return w.last.Add(w.pause)
}

func (w *watch) lookIfDue() {
	if !w.isDue() {
		return
	}
	changed := false
	defer func() { w.looked(changed) }() // after a panic as well
	changed = w.look()
}

// isDue takes the request if the look is due, and otherwise sets the timer.
func (w *watch) isDue() bool {
	opened := w.opened != nil && w.opened()
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.asked == 0 || now.Before(w.due()) && !opened {
		w.schedule(now)
		return false
	}
	w.asked = 0
	return true
}

func (w *watch) looked(changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	w.pause = longer(w.pause)
	if changed {
		w.pause = shortestPause
	}
	w.schedule(w.last)
}

// close ends the watch. It does not wait for a look that is being made.
func (w *watch) close() {
	if w.forget != nil {
		w.forget()
	}
	w.task.Quit()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
