package cgoheap

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/dump"
)

// DumpConfig configures when profiles are written to files, and which files are kept. A dump is written to a temporary file
// and then renamed to PROGRAM.PID.UTC-TIME.NUMBER.cgoheap.pb.gz, readable by its owner only.
type DumpConfig struct {
	Dir       string
	Signals   []os.Signal // each makes a dump when it arrives
	HighWater HighWater   // makes a dump when memory is high
	Selection Selection   // what the dumps show

	// After each dump the oldest dumps of this program, made by any process of this user, are removed until at most Keep are
	// left and they take at most KeepBytes. The dump just made always stays, and so do files with other names. The age of a
	// dump is read from its name. 0 means no bound.
	Keep      int
	KeepBytes int64
}

// HighWater asks for a dump when memory reaches a mark, so that there is a profile of the time before the OOM kill. Each of
// the first three fields, and Rate, is the mark of one measure; 0 means that it is not watched.
type HighWater struct {
	Native int64   // bytes of native memory in use, as the profiler estimates them
	RSS    int64   // bytes of resident memory of the process
	Cgroup float64 // share of the control group's memory limit in use, such as 0.8, without file cache that the kernel can drop

	// After a dump, the next is made when the same measure has grown by the share Growth (0 means 0.25), or has covered half
	// of the rest of the way to the group's limit, but not before Pause is over (0 means 10 minutes). A dump that failed
	// does not count, and is tried again sooner.
	Growth float64
	Pause  time.Duration

	// Rate is the mark of the growth of native memory in use, in bytes per minute. A dump is made when it has held for the time
	// RateWindow, from 1 minute to 24 hours (0 means 10 minutes), or for two thirds of it if it is much faster. That time is cut
	// into six parts. The mean of what is in use, read once a second, must grow by Rate over the parts, as the slope of the
	// straight line through their six means, and by at least half of Rate from each part to the next. So a single jump is no
	// growth, such as that of tables that a service makes when it starts. Nor is a cache that fills and is emptied within
	// RateWindow; make it longer than that takes. After a dump, the next is made when memory has grown by the share Growth, or
	// when the growth has fallen below half of Rate and has then held again; both not before Pause is over.
	Rate       int64
	RateWindow time.Duration
}

// DumpOnSignal writes a profile into dir whenever one of the signals arrives; without signals, whenever SIGUSR2 does. It is
// StartDumps with only Dir and Signals set.
func (p *Profiler) DumpOnSignal(dir string, signals ...os.Signal) (stop func(), err error) {
	if len(signals) == 0 {
		signals = dump.DefaultSignals()
	}
	return p.StartDumps(DumpConfig{Dir: dir, Signals: signals})
}

// StartDumps makes dumps until stop is called; stop waits for a dump that is being written, for ten seconds at most. StartDumps fails
// if the directory does not exist, is not writable or does not answer within ten seconds, if a field is invalid or a measure of memory cannot be read (both are a
// FieldError), or if there is nothing to wait for. All signals that arrive while a dump is being written together make one
// more. The path of each dump, or why it failed, goes to the Config's Logger.
func (p *Profiler) StartDumps(c DumpConfig) (stop func(), err error) {
	if _, err := c.Selection.check(); err != nil {
		return nil, in("DumpConfig.Selection", err)
	}
	dumps, err := dump.Start(dump.Config{
		Dir: c.Dir, Signals: c.Signals, HighWater: dump.HighWater(c.HighWater), Keep: c.Keep, KeepBytes: c.KeepBytes,
		Write: func(w io.Writer) error { return p.Write(w, c.Selection) }, InUse: p.recording.InUse, About: p.markReached, Made: p.own.dumped,
		Logger: p.config.Logger, Failed: p.failed,
	})
	if field := (*dump.FieldError)(nil); errors.As(err, &field) {
		return nil, &FieldError{Field: "DumpConfig." + field.Field, Err: field.Err}
	}
	if err != nil {
		return nil, fmt.Errorf("cgoheap: %w", err)
	}
	p.dumps.add(dumps)
	return func() {
		p.dumps.remove(dumps)
		dumps.Stop()
	}, nil
}

// startedDumps are those that have not been stopped.
type startedDumps struct {
	mu   sync.Mutex
	list []*dump.Dumps
}

func (s *startedDumps) add(d *dump.Dumps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, d)
}

func (s *startedDumps) remove(d *dump.Dumps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(other *dump.Dumps) bool { return other == d })
}

func (s *startedDumps) all() []*dump.Dumps {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}
