package background

import (
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Panic is a panic that was caught, as an error.
type Panic struct {
	In    string // what panicked
	Cause any
	Stack string
}

func (p *Panic) Error() string { return fmt.Sprintf("%s panicked: %v", p.In, p.Cause) }

// Guard runs do and returns its panic as an error, a *Panic.
func Guard(name string, do func()) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Panic{name, cause, string(debug.Stack())}
		}
	}()
	do()
	return nil
}

// Run runs do. A panic of do goes to failed, which may be nil. It is the host's code, and may panic, too.
func Run(name string, do func(), failed func(error)) {
	if err := Guard(name, do); err != nil && failed != nil {
		_ = Guard("the report", func() { failed(err) }) // there is nobody else to tell
	}
}

// Apart runs functions in goroutines of their own, all at once, and returns when each has ended. If one panics, so does Apart, where the
// caller can recover.
func Apart(name string, all ...func()) {
	failed := make([]error, len(all))
	var group sync.WaitGroup
	for i, do := range all {
		group.Go(func() { failed[i] = Guard(name, do) })
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			panic(err)
		}
	}
}

// Task runs a function whenever it is asked for. Its methods may be called from any goroutine.
type Task struct {
	name   string
	do     func()
	failed func(error)

	mu                    sync.Mutex
	asked, running, ended bool
	finished              sync.WaitGroup
}

// New returns a task that calls do. A panic of do goes to failed, which may be nil.
func New(name string, do func(), failed func(error)) *Task {
	return &Task{name: name, do: do, failed: failed}
}

// Ask makes the function run once more, soon, in a goroutine. However often it is called while the function runs, it runs
// once more. It does not wait.
func (t *Task) Ask() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = true
	if t.ended || t.running {
		return
	}
	t.running = true
	t.finished.Add(1)
	go t.run()
}

func (t *Task) run() {
	whole := false
	defer func() {
		if whole {
			t.finished.Done()
		} else {
			go t.run() // a function of the host's has ended the goroutine, by runtime.Goexit
		}
	}()
	for t.next() {
		Run(t.name, t.do, t.failed)
	}
	whole = true
}

// next reports whether the goroutine has something to do; if not, it ends.
func (t *Task) next() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = t.asked && !t.ended
	t.asked = false
	return t.running
}

// Quit has the function not run again. It does not wait.
func (t *Task) Quit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

// End is Quit, and waits until the function has returned.
func (t *Task) End() {
	t.Quit()
	t.finished.Wait()
}

// Within runs do in a goroutine and returns its result, or an error if there is none after a time. Then do goes on, and if it ends
// without an error, its result goes to late, which may be nil. A panic of do is an error, a *Panic.
//
// An import may call it: no timer is begun, because with the first one Go begins its poller, whose descriptors a program may close that
// begins with none of its own.
func Within[T any](limit time.Duration, name string, do func() (T, error), late func(T)) (T, error) {
	var value T
	var err error
	var taken atomic.Bool // the result, or the error that there is none
	done := newAlert()
	go func() {
		if panicked := Guard(name, func() { value, err = do() }); panicked != nil {
			err = panicked
		}
		switch {
		case taken.CompareAndSwap(false, true):
			done.raise()
		case err == nil && late != nil:
			_ = Guard(name, func() { late(value) })
		}
	}()
	if done.wait(limit) || !taken.CompareAndSwap(false, true) {
		done.wait(forEver) // for a moment at most
		return value, err
	}
	var none T
	return none, fmt.Errorf("%s: there is no answer after %v", name, limit)
}

const forEver = 1 << 62 * time.Nanosecond

// Ahead yields what a sequence does. Meanwhile a goroutine makes the next pair, and no more than that one. A panic of the sequence is one
// of the caller.
func Ahead[K, V any](name string, sequence iter.Seq2[K, V]) iter.Seq2[K, V] {
	type pair struct {
		first  K
		second V
	}
	return func(yield func(K, V) bool) {
		made, enough := make(chan pair), make(chan struct{})
		var failed error
		go func() {
			defer close(made)
			failed = Guard(name, func() {
				for first, second := range sequence {
					select {
					case made <- pair{first, second}:
					case <-enough:
						return
					}
					if isClosed(enough) { // it was not the caller who took the pair
						return
					}
				}
			})
		}()
		defer func() { // the sequence is nobody's when this returns
			close(enough)
			for range made {
			}
		}()
		for p := range made {
			if !yield(p.first, p.second) {
				return
			}
		}
		if failed != nil {
			panic(failed)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
