package cgoheap

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/errand"
)

// Dumps says when profiles are written to files, and which are kept. A dump is written to a temporary file and then
// renamed to PROGRAM.PID.UTC-TIME.NUMBER.cgoheap.pb.gz, readable by its owner only.
type Dumps struct {
	Dir       string
	Signals   []os.Signal // a dump when one arrives
	HighWater HighWater   // a dump when memory is high
	Selection Selection   // what they show

	// When a dump was made, the oldest of this program, by whatever process of this user, are removed until no more than Keep
	// are left and they take no more than KeepBytes; never that last one. Their names say how old they are, and a file with
	// another name stays. 0 means no bound.
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
	return made.begin(), nil
}

// dumper makes the dumps that one call of Dump asked for. There is a goroutine while it makes one, or looks at the levels;
// to wait it needs none, unless signals come by os/signal.
type dumper struct {
	Dumps
	profiler *Profiler
	levels   *levels
	errand   *errand.Errand
	timer    *time.Timer // of the next look at the levels; nil without any
	due      atomic.Bool // that look
	pending  atomic.Pointer[os.Signal]
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
	made := &dumper{Dumps: d, profiler: p, levels: watched}
	made.errand = errand.New("a dump", made.work, p.failed)
	return made, nil
}

// checkEvery is how often the levels of memory are looked at.
const checkEvery = time.Second

// begin waits for signals and levels until stop is called.
func (d *dumper) begin() (stop func()) {
	ignore := d.catch()
	if d.levels != nil {
		d.timer = time.AfterFunc(checkEvery, d.tick)
	}
	return sync.OnceFunc(func() {
		ignore()
		d.errand.End()
		if d.timer != nil {
			d.timer.Stop()
		}
	})
}

func (d *dumper) tick() {
	d.due.Store(true)
	d.errand.Ask()
}

// signalled has a dump made. Signals that arrive before it begins make one together.
func (d *dumper) signalled(s os.Signal) {
	d.pending.Store(&s)
	d.errand.Ask()
}

// work does what there is to do, and has the levels looked at again.
func (d *dumper) work() {
	if d.due.Swap(false) {
		defer d.timer.Reset(checkEvery) // after a panic as well
		defer d.check(time.Now())
	}
	deliver()
	if s := d.pending.Swap(nil); s != nil {
		_ = d.make(slog.String("signal", (*s).String())) // it has been logged
	}
}

// check makes a dump if memory is high.
func (d *dumper) check(now time.Time) {
	if reached := d.levels.reached(now); reached != "" {
		d.levels.dumped(now, d.make(slog.String("reached", reached)))
	}
}
