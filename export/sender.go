package export

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// sender sends the batches of the queue in its order, in its own goroutine.
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
		s.counters.lost(e, &s.counters.expired, errOld)
		return 0
	}
	s.counters.attempting(time.Now())
	err := s.send(ctx, e.batch)
	if ctx.Err() != nil && err != nil { // Stop interrupted it, so the error is not the server's
		s.queue.keep(e)
		return 0
	}
	s.counters.attempting(time.Time{})
	switch {
	case err == nil:
		s.queue.arrived(e)
		s.backoff.reset()
		s.counters.pushed(e)
		return 0
	case e.batch.Recovered != nil:
		s.settleRecovered(e, err)
		return 0
	}
	return s.settle(e, err)
}

// settleRecovered decides what happens to a batch of a process that died and did not arrive. Batches of this process must not
// wait for it, so there is no wait. Each attempt but the first follows one that arrived, so the server is there: then a server
// that cannot be reached for this batch fails on it.
func (s *sender) settleRecovered(e *entry, err error) {
	e.attempts++
	switch {
	case judged(err).Verdict == delivery.Refused:
		s.queue.remove(e)
		s.counters.recoveredRefused(e.batch.Recovered, err)
	case e.attempts >= s.config.Attempts:
		s.queue.remove(e)
		s.counters.recoveredFailed(e.batch.Recovered, err)
	case !s.queue.park(e):
		s.counters.recoveredFailed(e.batch.Recovered, err)
	default:
		s.counters.add(&s.counters.retry, err)
	}
}

// settle decides what happens to a batch of this process that did not arrive.
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

// Waits between attempts double, from a second to half a minute. Each is drawn at random between half of that and all of it,
// so that processes that lost a server at the same moment do not come back at the same moment.
const (
	firstWait = time.Second
	mostWait  = 30 * time.Second

	// A server that asks for a longer wait is tried after this time all the same: its clock, or its answer, may be wrong.
	mostRetryAfter = 10 * time.Minute
)

// backoff counts the failures since the last answer.
type backoff struct{ failures int }

func (b *backoff) reset() { b.failures = 0 }

// next returns how long to wait now: if the server asked for a time, that and a little more.
func (b *backoff) next(retryAfter time.Duration) time.Duration {
	wait := mostWait
	if b.failures < 5 { // 1, 2, 4, 8, 16 s
		wait = firstWait << b.failures
	}
	b.failures++
	if retryAfter > 0 {
		return min(retryAfter, mostRetryAfter) + rand.N(firstWait)
	}
	return wait/2 + rand.N(wait/2)
}

// spread returns the interval changed at random by up to a tenth in either direction.
func spread(interval time.Duration) time.Duration {
	return interval - interval/10 + rand.N(interval/5)
}
