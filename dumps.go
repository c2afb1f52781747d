package cgoheap

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"time"
)

// Dumps says when profiles are written to files, and which are kept. A dump is written to a temporary file and then
// renamed to PROGRAM.PID.UTC-TIME.NUMBER.cgoheap.pb.gz, readable by its owner only.
type Dumps struct {
	Dir       string
	Signals   []os.Signal // a dump when one arrives
	HighWater HighWater   // a dump when memory is high
	Selection Selection   // what they show

	// When a dump was made, the oldest of this program, by whatever process, are removed until no more than Keep are left
	// and they take no more than KeepBytes; never that last one. 0 means no bound.
	Keep      int
	KeepBytes int64
}

// Dump makes dumps until stop is called, which waits for one that is being written. It is an error at once if the
// directory does not exist or cannot be written, if a level of memory cannot be read (LevelError), or if there is nothing to
// wait for. Signals that arrive while a dump is
// being written make one more together. Where each went, or what went wrong, goes to the Config's Logger.
func (p *Profiler) Dump(d Dumps) (stop func(), err error) {
	made, err := newDumper(p, d)
	if err != nil {
		return nil, fmt.Errorf("cgoheap: %w", err)
	}
	arrived := make(chan os.Signal, 1)
	if len(d.Signals) > 0 {
		signal.Notify(arrived, d.Signals...)
	}
	done := make(chan struct{})
	var finished sync.WaitGroup
	finished.Go(func() { made.run(arrived, done) })
	return sync.OnceFunc(func() {
		signal.Stop(arrived)
		close(done)
		finished.Wait()
	}), nil
}

// dumper makes the dumps that one call of Dump asked for.
type dumper struct {
	Dumps
	profiler *Profiler
	levels   *levels
}

func newDumper(p *Profiler, d Dumps) (*dumper, error) {
	var err error
	if _, err = d.Selection.check(); err != nil {
		return nil, fmt.Errorf("Dumps.Selection: %w", err)
	}
	if d.Keep < 0 || d.KeepBytes < 0 {
		return nil, fmt.Errorf("Dumps.Keep is %d and KeepBytes %d; neither may be negative", d.Keep, d.KeepBytes)
	}
	watched, err := d.HighWater.levels(p.recording.InUse)
	if err != nil {
		return nil, err
	}
	if len(d.Signals) == 0 && watched == nil {
		return nil, errors.New("Dumps has neither a signal nor a level of memory to wait for")
	}
	if d.Dir, err = writable(d.Dir); err != nil {
		return nil, fmt.Errorf("dump directory: %w", err)
	}
	return &dumper{d, p, watched}, nil
}

// checkEvery is how often the levels of memory are looked at.
const checkEvery = time.Second

func (d *dumper) run(arrived <-chan os.Signal, done <-chan struct{}) {
	var check <-chan time.Time
	if d.levels != nil {
		ticker := time.NewTicker(checkEvery)
		defer ticker.Stop()
		check = ticker.C
	}
	for {
		select {
		case <-done:
			return
		case s := <-arrived:
			_ = d.make(slog.String("signal", s.String())) // it has been logged
		case now := <-check:
			d.check(now)
		}
	}
}

// check makes a dump if memory is high.
func (d *dumper) check(now time.Time) {
	if reached := d.levels.reached(now); reached != "" {
		d.levels.dumped(now, d.make(slog.String("reached", reached)))
	}
}
