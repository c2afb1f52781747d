package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// counters are the exporter's counters. Each outcome of a batch has one.
type counters struct {
	logger *slog.Logger

	mu                                   sync.Mutex
	taken, empty                         uint64
	sent, sentBytes                      uint64
	dropped, expired                     uint64
	failure, refusal, abandonment, retry outcome
	recovered                            uint64 // profiles that arrived
	recoveredRefusal, recoveredFailure   outcome
	lastPush                             time.Time // when one last arrived; zero: never
	waiting                              error     // why the last attempt failed, nil if it did not
	attempt                              time.Time // when the attempt that has no answer yet began; zero if there is none
}

// outcome counts an event that has a reason, and keeps the last reason.
type outcome struct {
	times uint64
	last  error
}

// add reports whether the reason differs from the last one, and so deserves a line in the log.
func (o *outcome) add(err error) (news bool) {
	news = o.last == nil || o.last.Error() != err.Error()
	o.times++
	o.last = err
	return news
}

func (o *outcome) sentence(text string) string {
	if o.last == nil {
		return text
	}
	return fmt.Sprintf("%s; the last time: %v", text, o.last)
}

func (c *counters) count(counter *uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*counter++
}

func (c *counters) failed(err error) {
	if c.add(&c.failure, err) {
		c.warn("cgoheap: no profile could be taken for export", err)
	}
}

func (c *counters) refused(err error) {
	_ = c.swapWaiting(nil) // it was reached
	if c.add(&c.refusal, err) {
		c.warn("cgoheap: the server refused a profile", err)
	}
}

func (c *counters) pushed(e *entry) {
	c.mu.Lock()
	if e.batch.Recovered != nil {
		c.recovered++
	} else {
		c.sent++
	}
	c.sentBytes += uint64(e.size)
	c.lastPush = time.Now()
	c.mu.Unlock()
	if c.swapWaiting(nil) != nil {
		c.log(slog.LevelInfo, "cgoheap: profiles arrive again")
	}
}

// postponed and gaveUp report the first failure after a success, and pushed the first success after a failure: a server
// that is away for a day is two lines in a log.
func (c *counters) postponed(err error) {
	c.add(&c.retry, err)
	c.troubled(err)
}

func (c *counters) gaveUp(err error) {
	c.add(&c.abandonment, err)
	c.troubled(err)
}

func (c *counters) troubled(err error) {
	if c.swapWaiting(err) == nil {
		c.warn("cgoheap: profiles do not arrive and wait in the queue", err)
	}
}

func (c *counters) add(o *outcome, err error) (news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return o.add(err)
}

func (c *counters) swapWaiting(err error) (before error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, c.waiting = c.waiting, err
	return before
}

func (c *counters) warn(text string, err error) { c.log(slog.LevelWarn, text, slog.Any("error", err)) }

// log is called without the lock: the logger is the host's, and may ask for Stats.
func (c *counters) log(level slog.Level, text string, attributes ...slog.Attr) {
	_ = guarded("the logger", func() error {
		c.logger.LogAttrs(context.Background(), level, text, attributes...)
		return nil
	})
}

// why returns the reason that batches are still in the queue.
func (c *counters) why() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.waiting != nil:
		return c.waiting.Error()
	case !c.attempt.IsZero():
		return fmt.Sprintf("an attempt had no answer for %v", time.Since(c.attempt).Round(time.Millisecond))
	}
	return "there was no time"
}

func (c *counters) attempting(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempt = since
}

func (c *counters) stats(batches int, bytes int64) cgoheap.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cgoheap.Stats{
		{Name: "export_taken", Value: c.taken, Sentence: "profiles taken and put into the queue"},
		{Name: "export_empty", Value: c.empty, Sentence: "profiles not sent, because there was no sample"},
		{Name: "export_failed", Value: c.failure.times, Sentence: c.failure.sentence("profiles that could not be taken")},
		{Name: "export_pushed", Value: c.sent, Sentence: "profiles that arrived"},
		{Name: "export_pushed_bytes", Value: c.sentBytes, Sentence: "bytes of the profiles that arrived, compressed"},
		{Name: "export_retried", Value: c.retry.times, Sentence: c.retry.sentence("attempts that failed; the profile was kept for another attempt")},
		{Name: "export_refused", Value: c.refusal.times, Sentence: c.refusal.sentence("profiles that the server refused")},
		{Name: "export_given_up", Value: c.abandonment.times, Sentence: c.abandonment.sentence("profiles on which the server failed too often")},
		{Name: "export_dropped", Value: c.dropped, Sentence: "profiles dropped, oldest first, because the queue was full"},
		{Name: "export_expired", Value: c.expired, Sentence: "profiles given up because they were too old"},
		{Name: "export_recovered_pushed", Value: c.recovered, Sentence: "profiles of processes that died that arrived"},
		{Name: "export_recovered_refused", Value: c.recoveredRefusal.times, Sentence: c.recoveredRefusal.sentence("profiles of processes that died that the server refused")},
		{Name: "export_recovered_failed", Value: c.recoveredFailure.times, Sentence: c.recoveredFailure.sentence("profiles of processes that died that could not be read or delivered")},
		{Name: "export_queue", Value: uint64(batches), Sentence: "profiles in the queue now"},
		{Name: "export_queue_bytes", Value: uint64(bytes), Sentence: "bytes of the profiles in the queue now, compressed"},
	}
}

// Reasons why a batch left the queue without having been sent.
var (
	errFull    = errors.New("the queue was full, or the exporter had stopped")
	errOld     = errors.New("it waited in the queue for longer than Config.MaxAge")
	errStopped = errors.New("the exporter has stopped")
)

// lost counts a batch that left the queue without having been sent.
func (c *counters) lost(e *entry, counter *uint64, why error) {
	if e.batch.Recovered == nil {
		c.count(counter)
		return
	}
	c.recoveredFailed(e.batch.Recovered, why)
}

// recoveredRefused and recoveredFailed write a line for each profile, because it says in which file the profile still is.
func (c *counters) recoveredRefused(r *delivery.Recovered, err error) {
	_ = c.swapWaiting(nil) // it was reached
	c.add(&c.recoveredRefusal, err)
	c.tell("cgoheap: the server does not take the profile of a process that died; many servers refuse a profile of some age. It stays in its file", r, err)
}

// recoveredFailed is without a profile if there is no list of them.
func (c *counters) recoveredFailed(r *delivery.Recovered, err error) {
	c.add(&c.recoveredFailure, err)
	if r == nil {
		c.warn("cgoheap: the profiles of processes that died are not delivered", err)
		return
	}
	c.tell("cgoheap: the profile of a process that died is not delivered. It stays in its file", r, err)
}

func (c *counters) tell(text string, r *delivery.Recovered, err error) {
	c.log(slog.LevelWarn, text, slog.String("path", r.Path),
		slog.Duration("age", time.Since(r.Ended).Round(time.Second)), slog.Any("error", err))
}
