package export

import (
	"context"
	"errors"
	"time"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// sender sends the batches of the queue, oldest first, in its own goroutine.
type sender struct {
	target   Target
	config   Config
	queue    *queue
	counters *counters
	backoff  backoff
}

// run sends until the queue is closed and empty, or ctx is done. When quit is closed it stops waiting and tries once more at
// once, because time is short then.
func (s *sender) run(ctx context.Context, quit <-chan struct{}) {
	for ctx.Err() == nil {
		e, more := s.queue.take()
		if !more {
			return
		}
		if e == nil {
			select {
			case <-s.queue.changed:
			case <-ctx.Done():
			}
			continue
		}
		if wait := s.attempt(ctx, e); wait > 0 {
			quit = s.wait(ctx, wait, quit)
		}
	}
}

// wait waits, but not beyond the close of quit, and returns the quit channel for the next wait.
func (s *sender) wait(ctx context.Context, wait time.Duration, quit <-chan struct{}) <-chan struct{} {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-quit:
		return nil
	case <-ctx.Done():
	}
	return quit
}

// attempt sends a batch once, and returns how long to wait before the next attempt at any batch.
func (s *sender) attempt(ctx context.Context, e *entry) (wait time.Duration) {
	if time.Since(e.born) > s.config.MaxAge {
		s.queue.remove(e)
		s.counters.count(&s.counters.expired)
		return 0
	}
	s.counters.attempting(time.Now())
	err := s.send(ctx, e.batch)
	if ctx.Err() != nil && err != nil { // Stop interrupted it, so the error is not the server's
		s.queue.keep(e)
		return 0
	}
	s.counters.attempting(time.Time{})
	if err == nil {
		s.queue.remove(e)
		s.backoff.reset()
		s.counters.pushed(e.size)
		return 0
	}
	return s.settle(e, err)
}

// settle decides what happens to a batch that did not arrive.
func (s *sender) settle(e *entry, err error) (wait time.Duration) {
	failure := judged(err)
	if failure.Verdict == delivery.Doubtful {
		e.attempts++
	}
	switch {
	case failure.Verdict == delivery.Refused:
		s.queue.remove(e)
		s.backoff.reset()
		s.counters.refused(err)
		return 0
	case e.attempts >= s.config.Attempts:
		s.queue.remove(e)
		s.counters.gaveUp(err)
	default:
		s.queue.keep(e)
		s.counters.postponed(err)
	}
	return s.backoff.next(failure.RetryAfter)
}

func (s *sender) send(ctx context.Context, b *delivery.Batch) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.SendWithin)
	defer cancel()
	return guarded("the target", func() error { return s.target.Send(ctx, b) })
}

func judged(err error) *delivery.Failure {
	var f *delivery.Failure
	if errors.As(err, &f) {
		return f
	}
	return &delivery.Failure{Err: err, Verdict: delivery.Doubtful}
}
