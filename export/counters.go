package export

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/cgoheap/cgoheap"
)

// counters are what the exporter knows of itself. Each outcome of a batch is one of them.
type counters struct {
	logger *slog.Logger

	mu                            sync.Mutex
	taken, empty                  uint64
	sent, sentBytes, retried      uint64
	dropped, expired              uint64
	failure, refusal, abandonment outcome
	waiting                       error // why the last attempt failed, nil if it did not
	lastRetry                     error
}

// outcome counts something that has a reason, and keeps the last.
type outcome struct {
	times uint64
	last  error
}

// add tells whether the reason is another one than the last time, and so worth a line in a log.
func (o *outcome) add(err error) (news bool) {
	news = o.last == nil || o.last.Error() != err.Error()
	o.times++
	o.last = err
	return news
}

func (o *outcome) sentence(text string) string { return because(text, o.last) }

func because(text string, reason error) string {
	if reason == nil {
		return text
	}
	return fmt.Sprintf("%s; the last time: %v", text, reason)
}

func (c *counters) count(counter *uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*counter++
}

func (c *counters) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure.add(err) {
		c.logger.Warn("cgoheap: no profile could be taken for export", slog.Any("error", err))
	}
}

func (c *counters) pushed(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	c.sentBytes += uint64(bytes)
	c.arrived()
}

func (c *counters) refused(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal.add(err) {
		c.logger.Warn("cgoheap: the server refused a profile", slog.Any("error", err))
	}
	c.waiting = nil
}

func (c *counters) gaveUp(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandonment.add(err)
	c.troubled(err)
}

func (c *counters) postponed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retried++
	c.lastRetry = err
	c.troubled(err)
}

// troubled reports the first failure after a success, and arrived the first success after a failure: a server that is away
// for a day is two lines in a log.
func (c *counters) troubled(err error) {
	if c.waiting == nil {
		c.logger.Warn("cgoheap: profiles do not arrive and wait in the queue", slog.Any("error", err))
	}
	c.waiting = err
}

func (c *counters) arrived() {
	if c.waiting != nil {
		c.logger.Info("cgoheap: profiles arrive again")
	}
	c.waiting = nil
}

// why is the reason for what is still in the queue.
func (c *counters) why() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return "there was no time"
	}
	return c.waiting.Error()
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
		{Name: "export_retried", Value: c.retried, Sentence: because("attempts that failed, after which the profile was kept to be sent again", c.lastRetry)},
		{Name: "export_refused", Value: c.refusal.times, Sentence: c.refusal.sentence("profiles that the server refused")},
		{Name: "export_given_up", Value: c.abandonment.times, Sentence: c.abandonment.sentence("profiles on which the server failed too often")},
		{Name: "export_dropped", Value: c.dropped, Sentence: "profiles dropped, oldest first, because the queue was full"},
		{Name: "export_expired", Value: c.expired, Sentence: "profiles given up because they were too old"},
		{Name: "export_queue", Value: uint64(batches), Sentence: "profiles in the queue now"},
		{Name: "export_queue_bytes", Value: uint64(bytes), Sentence: "bytes of the profiles in the queue now, compressed"},
	}
}
