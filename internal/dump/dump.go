package dump

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
)

// Config configures when to dump, what and where, and which dumps to keep: see cgoheap.DumpConfig.
type Config struct {
	Dir       string
	Signals   []os.Signal
	HighWater HighWater
	Keep      int
	KeepBytes int64

	Write  func(io.Writer) error // writes a profile
	InUse  func() int64          // bytes of native memory in use
	About  func() string         // what the memory is, in one line, for the log when a level is reached; nil for none
	Logger *slog.Logger
	Made   func(error) // called after each dump, with nil if it was written; nil for nobody
	Failed func(error) // called with the panic of a dump, as an error
}

// Dumps are made until Stop is called.
type Dumps struct {
	d    *dumper
	stop func()
}

// Start makes dumps until they are stopped. It fails if the directory is not writable, if a field is invalid or its measure of
// memory cannot be read (FieldError), or if there is nothing to wait for.
func Start(c Config) (*Dumps, error) {
	d, err := newDumper(c)
	if err != nil {
		return nil, err
	}
	return &Dumps{d, d.begin()}, nil
}

// Stop waits for a dump that is being written, for ten seconds at most.
func (s *Dumps) Stop() { s.stop() }

// Now makes a dump because somebody asks for it, and returns its path.
func (s *Dumps) Now() (path string, err error) { return s.d.make(slog.String("asked", "page")) }

// dumper makes the dumps of one call of Start. It has a goroutine while it makes a dump or checks the levels. Waiting takes
// none, unless signals come by os/signal.
type dumper struct {
	Config
	levels  *levels
	making  sync.Mutex // one dump after the other
	task    *background.Task
	timer   *time.Timer // until the next check of the levels; nil without levels
	due     atomic.Bool // the levels are due for a check
	pending atomic.Pointer[os.Signal]
	changed atomic.Bool // what a signal does may have changed
	caught  caught      // who delivers the signals; noting guards it
	looking sync.Mutex
	lost    map[os.Signal]error // why a signal makes no dump; looking guards it
}

func newDumper(c Config) (*dumper, error) {
	if c.Keep < 0 {
		return nil, &FieldError{"Keep", fmt.Errorf("is %d; it may not be negative", c.Keep)}
	}
	if c.KeepBytes < 0 {
		return nil, &FieldError{"KeepBytes", fmt.Errorf("is %d; it may not be negative", c.KeepBytes)}
	}
	watched, err := c.HighWater.levels(c.InUse)
	if err != nil {
		return nil, err
	}
	if len(c.Signals) == 0 && watched == nil {
		return nil, errors.New("neither a signal nor a mark for memory is set, so there is nothing to wait for")
	}
	dir := c.Dir
	if c.Dir, err = background.Within(patience, dir, func() (string, error) { return writable(dir) }, nil); err != nil {
		return nil, fmt.Errorf("dump directory: %w", err)
	}
	d := &dumper{Config: c, levels: watched}
	d.task = background.New("a dump", d.work, c.Failed)
	return d, nil
}

// checkEvery is the time between two checks of the measures of memory.
const checkEvery = time.Second

// begin waits for signals and levels until stop is called.
func (d *dumper) begin() (stop func()) {
	ignore := d.catch()
	if d.levels != nil {
		d.timer = time.AfterFunc(math.MaxInt64, d.tick)
		d.timer.Reset(checkEvery) // no sooner: tick reads d.timer
	}
	return sync.OnceFunc(func() {
		ignore()
		d.await()
		if d.timer != nil {
			d.timer.Stop()
		}
	})
}

// patience is how long Start waits for a directory that does not answer, and Stop for a dump that is being written. Tests shorten it.
var patience = 10 * time.Second

// await waits for a dump that is being written, unless its disk has stopped.
func (d *dumper) await() {
	_, err := background.Within(patience, "a dump that is being written", func() (any, error) {
		d.task.End()
		return nil, nil
	}, nil)
	if err != nil {
		d.Logger.Warn("cgoheap: a dump goes on", slog.Any("error", err))
	}
}

func (d *dumper) tick() {
	d.due.Store(true)
	d.task.Ask()
}

// signalled asks for a dump. Signals that arrive before it begins share one.
func (d *dumper) signalled(s os.Signal) {
	d.pending.Store(&s)
	d.task.Ask()
}

// work makes the dumps that are due, and arranges the next check of the levels.
func (d *dumper) work() {
	if d.due.Swap(false) {
		defer d.timer.Reset(checkEvery) // after a panic as well
		defer d.check(time.Now())
	}
	if d.changed.Swap(false) {
		d.look()
	}
	deliver()
	if s := d.pending.Swap(nil); s != nil {
		_, _ = d.make(slog.String("signal", (*s).String())) // make has logged the error
	}
}

// check makes a dump if memory is high.
func (d *dumper) check(now time.Time) {
	if reached := d.levels.reached(now); reached != "" {
		_, err := d.make(slog.String("reached", reached), d.about()...)
		d.levels.dumped(now, err)
	}
}

// about returns what the log says of memory that is high.
func (d *dumper) about() []any {
	if d.About == nil {
		return nil
	}
	return []any{slog.String("account", d.About())}
}
