package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap"
)

// Profiler is what profiles are taken from: a *cgoheap.Profiler.
type Profiler interface {
	Write(w io.Writer, s cgoheap.Selection) error
	Moment() (*cgoheap.Moment, error)
}

var _ Profiler = (*cgoheap.Profiler)(nil)

// Exporter takes profiles in intervals and delivers them. Its methods may be called from any goroutine.
type Exporter struct {
	config   Config
	target   Target
	queue    *queue
	counters *counters

	quit     chan struct{} // closed: take a last profile
	cancel   context.CancelFunc
	finished chan struct{} // closed: both goroutines have returned
	stop     func() error
}

// Start begins to deliver profiles of p to the target, which is the exporter's from then on. It fails if the Config makes
// no sense or p was stopped; whether the server is there is not looked at.
func Start(p Profiler, t Target, c Config) (*Exporter, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	since, err := p.Moment()
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	e := &Exporter{
		config:   c,
		target:   t,
		queue:    newQueue(c.QueueBatches, c.QueueBytes),
		counters: &counters{logger: c.Logger},
		quit:     make(chan struct{}),
		finished: make(chan struct{}),
	}
	e.stop = sync.OnceValue(e.end)
	e.begin(&author{
		profiler: p,
		selection: cgoheap.Selection{
			Since: since, Advance: true, GoHeap: c.GoHeap, MaxSamples: c.MaxSamples, MaxBytes: c.MaxBytes,
		},
		form: t.Form(), config: c, queue: e.queue, counters: e.counters,
	})
	return e, nil
}

func (e *Exporter) begin(a *author) {
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	s := &sender{target: e.target, config: e.config, queue: e.queue, counters: e.counters}
	var both sync.WaitGroup
	both.Go(func() { a.run(e.quit) })
	both.Go(func() { s.run(ctx, e.quit) })
	go func() {
		both.Wait()
		close(e.finished)
	}()
}

// Stats are the counters, with the last reason for each kind of failure, and those of the target. After Stop they keep
// their last values.
func (e *Exporter) Stats() cgoheap.Stats {
	return append(e.counters.stats(e.queue.size()), e.target.Stats()...)
}

// Stop takes a last profile, sends what is in the queue, and closes the target. It returns within Config.StopWithin, with
// an error if profiles were left or something would not end. The profiler must be stopped after it. Further calls return
// the same.
func (e *Exporter) Stop() error { return e.stop() }

// end gives nine tenths of the time to sending, and the rest to whatever has to come back from a server that hangs.
func (e *Exporter) end() error {
	begin := time.Now()
	close(e.quit)
	ended := e.awaitUntil(begin.Add(e.config.StopWithin / 10 * 9))
	e.cancel()
	ended = ended || e.awaitUntil(begin.Add(e.config.StopWithin))
	var err error
	if !ended {
		err = errors.New("export: a profile is still being taken or sent")
	}
	if left, _ := e.queue.size(); left > 0 {
		err = errors.Join(err, fmt.Errorf("export: %d profiles were not sent: %s", left, e.counters.why()))
	}
	return errors.Join(err, e.target.Close())
}

func (e *Exporter) awaitUntil(deadline time.Time) bool {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-e.finished:
		return true
	case <-timer.C:
		return false
	}
}
