package audit

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

// Load is what a program does while it is audited.
type Load struct {
	Threads int
	Warm    int                    // how many rounds each thread does before the first moment, so that memory has stopped to grow
	Prepare func() error           // once, before the threads begin
	Round   func(thread int) error // again and again on each thread: some milliseconds of work
	Check   func() (string, error) // once, with the threads at rest, after all moments; returns a remark. nil: nothing
}

// crowd is the threads of a load.
type crowd struct {
	stop   atomic.Bool
	rounds atomic.Int64
	rest   sync.RWMutex // held by each round
	done   sync.WaitGroup
	once   sync.Once
	err    error // the first
}

// prepare calls Prepare on a thread of its own, so that what begins there is behind as well.
func (l *Load) prepare() (err error) {
	var done sync.WaitGroup
	done.Go(func() {
		behind()
		err = l.Prepare()
	})
	done.Wait()
	return err
}

// start begins the threads and returns when each is warm.
func (l *Load) start() *crowd {
	c := new(crowd)
	var warm sync.WaitGroup
	warm.Add(l.Threads)
	for thread := range l.Threads {
		c.done.Go(func() {
			behind()
			for range l.Warm {
				c.round(l, thread)
			}
			for warm.Done(); !c.stop.Load(); {
				c.round(l, thread)
			}
		})
	}
	warm.Wait()
	return c
}

// behind has the calling thread, and the threads that it begins, compute when the account need not. The load goes on while the
// account is taken, on the other processors; but RSS moves less between the two answers of the kernel.
func behind() {
	const politeness = 10
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, politeness) // of a thread, on Linux
}

// round does a round, unless the threads are to end. An error ends them all.
func (c *crowd) round(l *Load, thread int) {
	c.rest.RLock()
	defer c.rest.RUnlock()
	if c.stop.Load() {
		return
	}
	if err := l.Round(thread); err != nil {
		c.once.Do(func() { c.err = err })
		c.stop.Store(true)
	}
	c.rounds.Add(1)
}

// end stops the threads and returns the first error of a round.
func (c *crowd) end() error {
	c.stop.Store(true)
	c.done.Wait()
	return c.err
}
