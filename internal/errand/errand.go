package errand

import (
	"fmt"
	"runtime/debug"
	"sync"
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

// Errand runs a function whenever it is asked for. Its methods may be called from any goroutine.
type Errand struct {
	name   string
	do     func()
	failed func(error)

	mu                    sync.Mutex
	asked, running, ended bool
	finished              sync.WaitGroup
}

// New returns an errand that calls do. A panic of do goes to failed, which may be nil.
func New(name string, do func(), failed func(error)) *Errand {
	return &Errand{name: name, do: do, failed: failed}
}

// Ask makes the function run once more, soon, in a goroutine. However often it is called while the function runs, it runs
// once more. It does not wait.
func (e *Errand) Ask() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = true
	if e.ended || e.running {
		return
	}
	e.running = true
	e.finished.Add(1)
	go e.run()
}

func (e *Errand) run() {
	defer e.finished.Done()
	for e.next() {
		Run(e.name, e.do, e.failed)
	}
}

// next reports whether the goroutine has something to do; if not, it ends.
func (e *Errand) next() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = e.asked && !e.ended
	e.asked = false
	return e.running
}

// Quit has the function not run again. It does not wait.
func (e *Errand) Quit() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}

// End is Quit, and waits until the function has returned.
func (e *Errand) End() {
	e.Quit()
	e.finished.Wait()
}
