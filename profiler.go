package cgoheap

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/serve"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Errors that Start returns; test for them with errors.Is.
var (
	ErrRunning     = alloc.ErrRunning
	ErrUnsupported = alloc.ErrUnsupported
)

// Profiler is a running heap profiler. Its methods may be called from any goroutine.
type Profiler struct {
	config     Config
	began      time.Time
	recording  *alloc.Recording
	names      *symbolize.Symbolizer
	server     *serve.Server
	accounts   accounts
	added      addedMetrics
	own        ownWork
	dumps      startedDumps
	box        atomic.Pointer[blackbox.Box] // nil without Config.BlackBox
	flight     *flight.Recorder             // nil if it is not wanted, or there is no room
	recovering *recovering                  // nil without Config.BlackBox
	suspects   *suspects.Watch
	search     *suspects.Search
	unread     atomic.Pointer[[]string] // what the last search could not look at; nil before the first
	alarm      *suspects.Alarm          // nil without Config.OnSuspect
}

// Start begins to record the native allocations of the process. There can be one profiler at a time: while it runs, Start
// returns ErrRunning. Where native allocations cannot be recorded (not Linux on amd64 or arm64, or built without cgo, with
// -asan or with -msan) it returns ErrUnsupported with the reason. Blocks allocated before Start have no stacks; only an Account
// and ViewRSS count them.
func Start(c Config) (*Profiler, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Profiler{config: c, began: time.Now(), names: symbolize.New(c.names())}
	p.server = serve.New(served{p}, c.Hosts, c.Logger, p.failed)
	o := c.options()
	o.Failed = p.failed
	if err := p.openBox(&o); err != nil {
		return nil, err
	}
	if p.recording, err = alloc.Start(o); err != nil {
		return nil, errors.Join(fmt.Errorf("cgoheap: %w", err), p.closeBox())
	}
	p.startTimeline()
	p.suspect()
	p.recover()
	c.Logger.Debug("cgoheap: recording", slog.Int64("sample_bytes", c.SampleBytes))
	return p, nil
}

// SetSampleBytes changes Config.SampleBytes while the profiler runs; 0 means the default. Each thread adopts the new value
// when it takes its next sample; until then it may allocate the old number of bytes, or a few times that. Every sample is
// weighed with the interval it was drawn at, so profiles stay unbiased across the change. SetSampleBytes fails after Stop.
func (p *Profiler) SetSampleBytes(n int64) error {
	n = orDefault(n, defaultSampleBytes)
	if err := within("SampleBytes", n, 1, mostSampleBytes); err != nil {
		return err
	}
	if err := p.recording.SetSampleBytes(n); err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	return nil
}

// Stop ends the recording and frees its memory. It may be called more than once, and a later Start begins afresh. An error
// means that a thread is still inside the profiler; Stop must then be called again before the next Start. The signals of
// DumpOnSignal stay caught until its own stop is called. Stop waits for a call of Config.OnSuspect that is running, but for a
// second at most, and none begins afterwards.
func (p *Profiler) Stop() error {
	p.stopTimeline()
	p.alarm.Stop()
	p.suspects.Stop()
	p.search.Stop()
	p.stopRecovering()
	if err := p.recording.Stop(); err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	p.names.Retire()
	return p.closeBox()
}

// openBox makes the black box, if there shall be one.
func (p *Profiler) openBox(o *alloc.Options) error {
	if p.config.BlackBox == "" {
		return nil
	}
	box, err := blackbox.Create(p.config.BlackBox, p.config.TableBytes)
	if err != nil {
		return invalid("Config.BlackBox", "is %q: %w", p.config.BlackBox, err)
	}
	p.box.Store(box)
	about := blackbox.Here(p.config.described())
	if about.KillsFile, _, err = running.Kills(); err == nil {
		about.KillsGroup = usage.GroupOf(about.KillsFile)
	}
	if loaded, err := mappings.Self(); err == nil {
		about.Files = unidentified(loaded)
	}
	o.File, o.About = func() alloc.File { return alloc.File(box.Take()) }, about.Text()
	return nil
}

// unidentified returns the loaded files that have no build ID, by which a reader of the box could know them. One that could not be opened is
// left out.
func unidentified(loaded []mappings.Module) (list []blackbox.LoadedFile) {
	for i := range loaded {
		if m := &loaded[i]; m.BuildID == "" && m.Inode != 0 && m.Written != (mappings.Written{}) {
			list = append(list, blackbox.LoadedFile{Path: m.Path, Device: m.Device, Inode: m.Inode, Size: m.Written.Size, Modified: m.Written.Time.UnixNano()})
		}
	}
	return list
}

// closeBox removes the black box, which is no longer mapped.
func (p *Profiler) closeBox() error {
	box := p.box.Swap(nil)
	if box == nil {
		return nil
	}
	if err := box.Remove(); err != nil {
		return fmt.Errorf("cgoheap: removing the black box: %w", err)
	}
	return nil
}

// failed logs a failure in one of the profiler's own goroutines.
func (p *Profiler) failed(err error) {
	log := p.config.Logger.With(slog.Any("error", err))
	if caught := (*background.Panic)(nil); errors.As(err, &caught) {
		log = log.With(slog.String("stack", caught.Stack))
	}
	log.Error("cgoheap: a fault of the profiler, which goes on")
}

// Allocated records a block of native memory that does not come from malloc, such as a part of a pool or memory of a device. It
// is recorded as malloc would record it, at the caller's stack. No other block may have the address p meanwhile; it is never read.
// An address of 0 or 1 is no block: nothing is recorded. kind becomes the label "kind" of the block's samples, unless it is empty; a
// program should have at most some hundred kinds. Blocks of the kinds "cuda" and "hip", alone or before a space, are memory of a device,
// which ViewDevice shows and no other view; "cuda pinned" and "hip pinned" are the host's. When no profiler runs, nothing happens.
//
// C and C++ include the file cgo/cgoheap.h for the same.
func Allocated(p, size uintptr, kind string) { cgo.Allocated(p, size, kind) }

// Freed records that a block of Allocated is about to be freed.
func Freed(p uintptr) { cgo.Freed(p) }

// Pool records that blocks are carved from a block that malloc returned. From then on the block itself does not count as in use,
// only what Allocated reports.
func Pool(chunk uintptr) { cgo.Pool(chunk) }
