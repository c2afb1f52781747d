package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// Profiler takes the profiles: it is a *cgoheap.Profiler.
type Profiler interface {
	Write(w io.Writer, s cgoheap.Selection) error
	Baseline() (*cgoheap.Baseline, error)
}

var _ Profiler = (*cgoheap.Profiler)(nil)

// Exporter takes profiles at intervals and delivers them. Its methods may be called from any goroutine.
type Exporter struct {
	config   Config
	target   Target
	queue    *queue
	counters *counters

	quit      chan struct{} // closed: take a last profile
	cancel    context.CancelFunc
	abandon   context.CancelFunc // do not wait for recovered profiles
	finished  chan struct{}      // closed: all goroutines have returned
	unmeasure func()             // removes the exporter's metrics from the profiler's
	stop      func() error
}

// Start begins to deliver profiles of p to the target, which belongs to the exporter from then on. It fails if the Config is
// invalid or p was stopped. It does not check whether the server can be reached. Until Stop, the metrics of p have the exporter's,
// with the server's address as the label target.
func Start(p Profiler, t Target, c Config) (*Exporter, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	var since *cgoheap.Baseline
	var form delivery.Form
	var place, name string
	err = errors.Join(
		guarded("the profiler", func() (err error) { since, err = p.Baseline(); return err }),
		guarded("the target", func() error { form, place, name = t.Form(), t.Place(), t.Name(); return nil }))
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
	taking := &author{
		profiler: p,
		selection: cgoheap.Selection{
			View: cgoheap.ViewDelta(since), Advance: true, GoHeap: c.GoHeap, MaxSamples: c.MaxSamples, MaxBytes: c.MaxBytes,
			BareAddresses: !c.NameByFile,
		},
		form: form, config: c, queue: e.queue, counters: e.counters,
	}
	e.unmeasure = e.measure(p, name)
	e.begin(taking, newRecovery(taking, place))
	return e, nil
}

// begin begins the goroutines. r is nil if the profiler recovers nothing.
func (e *Exporter) begin(a *author, r *recovery) {
	ctx, cancel := context.WithCancel(context.Background())
	waiting, abandon := context.WithCancel(ctx)
	e.cancel, e.abandon = cancel, abandon
	s := &sender{target: e.target, config: e.config, queue: e.queue, counters: e.counters}
	var all sync.WaitGroup
	all.Go(func() { e.guard("taking profiles", func() { a.run(e.quit) }) })
	all.Go(func() { e.guard("sending profiles", func() { s.run(ctx, e.quit) }) })
	if r != nil {
		all.Go(func() { e.guard("reading recovered profiles", func() { r.run(waiting) }) })
	}
	go e.guard("waiting for them", func() {
		all.Wait()
		close(e.finished)
	})
}

// guard reports a panic of run, which ends one of the exporter's goroutines. Such a panic is a fault of the exporter:
// foreign code is guarded where it is called.
func (e *Exporter) guard(name string, run func()) {
	if err := guarded(name, func() error { run(); return nil }); err != nil {
		e.counters.log(slog.LevelError, "cgoheap: a fault of the exporter, which stops delivering", slog.Any("error", err))
	}
}

// Stats returns the exporter's counters, with the last reason for each kind of failure, and the target's. After Stop they
// keep their last values.
func (e *Exporter) Stats() cgoheap.Stats {
	stats := e.counters.stats(e.queue.size())
	var more cgoheap.Stats
	if err := guarded("the target", func() error { more = e.target.Stats(); return nil }); err != nil {
		more = cgoheap.Stats{{Name: "export_target_silent", Value: 1, Sentence: "the target has no counters: " + err.Error()}}
	}
	return append(stats, more...)
}

// Stop takes a last profile, sends what is in the queue, and closes the target. It returns within Config.StopWithin, with an
// error if profiles were left unsent or something did not end in time. Stop the profiler after the exporter. Further calls
// return the same result.
func (e *Exporter) Stop() error { return e.stop() }

// end spends most of the time on sending, a twentieth on calls that must return from a server that hangs, and the rest on
// closing the target.
func (e *Exporter) end() error {
	begin, twentieth := time.Now(), e.config.StopWithin/20
	close(e.quit)
	e.abandon()
	ended := awaitUntil(e.finished, begin.Add(18*twentieth))
	e.cancel()
	ended = ended || awaitUntil(e.finished, begin.Add(19*twentieth))
	var err error
	if !ended {
		err = errors.New("export: a profile is still being taken or sent")
	}
	if left, _ := e.queue.size(); left > 0 {
		err = errors.Join(err, fmt.Errorf("export: %d profiles were not sent: %s", left, e.counters.why()))
	}
	for _, left := range e.queue.recovered() {
		e.counters.recoveredFailed(left.batch.Recovered, errStopped)
	}
	e.unmeasure()
	return errors.Join(err, e.closeUntil(begin.Add(e.config.StopWithin)))
}

func (e *Exporter) closeUntil(deadline time.Time) error {
	var failed error
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		failed = guarded("the target", e.target.Close)
	}()
	if !awaitUntil(closed, deadline) {
		return errors.New("export: the target is still being closed")
	}
	return failed
}

func awaitUntil(done <-chan struct{}, deadline time.Time) bool {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// guarded runs code outside this package and turns a panic into an error: a profile must not end the host.
func guarded(name string, run func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &delivery.Failure{Err: fmt.Errorf("%s panicked: %v", name, cause), Verdict: delivery.Refused}
		}
	}()
	return run()
}

// Target is a server that receives profiles: parca.New and pyroscope.New make one, for Start, and post.New makes one of any
// other server that takes profiles in one call. Only packages of this module can be targets of another kind.
type Target interface {
	delivery.Target
}
