package export

import (
	"errors"
	"log/slog"
	"time"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

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
