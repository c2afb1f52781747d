//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Recording is a recording of native allocations, from Start to Stop. Its methods may be called from any goroutine.
type Recording struct {
	mu       sync.Mutex
	options  Options
	started  time.Time
	loaded   loaded
	watch    *watch
	mapsErr  error // the loaded files could not be read
	fullErr  error // the tables had no room for all of them
	joinErr  error // stacks end at the call from Go
	labelErr error // goroutines' labels cannot be read
	notes    []byte
	newErr   error // operator new is not seen
	mapErr   error // calls that map memory are not recorded
	stopped  bool
	losses   []stack.Loss // the last values, once stopped
}

// running is the one recording that may exist.
var running struct {
	sync.Mutex
	*Recording
}

// readLabels reads a goroutine's labels at start, to see whether hooks can. Tests replace it by a reader that cannot.
var readLabels = cgo.ReadLabels

// Start begins a recording. It returns ErrRunning if there is one, ErrUnsupported with the reason if there can be none.
func Start(o Options) (*Recording, error) {
	running.Lock()
	defer running.Unlock()
	if running.Recording != nil {
		return nil, ErrRunning
	}
	if err := cgo.Supported(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if err := errors.Join(lockedRoom(), addressRoom(o.TableBytes)); err != nil {
		return nil, err
	}
	r := &Recording{options: withDefaults(o), started: time.Now()}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	running.Recording = r
	if r.options.File != nil {
		cgo.NoteEndings()
	}
	cgo.Start()
	return r, nil
}

// Notes returns the room for the flight recorder's notes, all zero at first; nil if there is none. It must not be used after Stop.
func (r *Recording) Notes() []byte { return r.notes }

func withDefaults(o Options) Options {
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Modules == nil {
		o.Modules = modules
	}
	return o
}

func (r *Recording) prepare() error {
	var file *cgo.File
	if r.options.File != nil {
		of := cgo.File(r.options.File())
		file = &of
	}
	err := cgo.Prepare(cgo.Options{
		TableBytes:  r.options.TableBytes,
		SampleBytes: r.options.SampleBytes,
		MaxDepth:    r.options.MaxDepth,
		Seed:        r.options.Seed,
		ThreadNames: r.options.ThreadNames,
		File:        file,
	})
	if err != nil {
		return err
	}
	cgo.Describe(r.options.About)
	if r.options.NoteBytes > 0 {
		r.notes = cgo.ReserveNotes(r.options.NoteBytes)
	}
	r.refresh()
	if r.fullErr != nil {
		cgo.Stop()
		return r.fullErr
	}
	r.joinErr = cgo.Probe()
	r.newErr = cgo.UnseenOperators()
	r.mapErr = cgo.WatchMapped()
	if r.options.Goroutines {
		r.labelErr = cgo.LabelGoroutines(readLabels)
	}
	opened := r.opened
	if r.loaded.loads.Watched() {
		opened = nil
	}
	r.watch = newWatch(r.look, opened, r.options.Failed)
	return nil
}

// look searches for files that were loaded or closed since the last time, and for code that was made. It reports whether
// there were any such files.
func (r *Recording) look() (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	cgo.Rearm()
	before := r.loaded.published
	changed = r.refresh()
	if r.loaded.published != before {
		r.settle()
	}
	return changed
}

// opened reports whether the loader has opened libraries since the last reading of the list.
func (r *Recording) opened() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	now := cgo.ReadLoads()
	return now.Count() != r.loaded.loads.Count()
}

// settle makes the hooks switch to the newest index and new totals. All samples before that came from libraries that the
// loader has counted by now.
func (r *Recording) settle() {
	if cgo.Settle() {
		r.loaded.arena.settled()
	}
	loads := cgo.ReadLoads()
	r.loaded.loader.now = loads.Count()
}

// Settle settles the tables, for those who read a black box while the process lives. After Stop it does nothing.
func (r *Recording) Settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.settle()
	}
}

// refresh publishes an index even if nothing can be known: without one, stacks would not even have their first frame.
func (r *Recording) refresh() (changed bool) {
	var now []mappings.Module
	loads := cgo.ReadLoads()
	if now, r.mapsErr = r.options.Modules(); len(now) == 0 && r.loaded.index.size > 0 {
		return false
	}
	changed, r.fullErr = r.loaded.update(now, loads)
	r.loaded.settleObjects(loads)
	return changed
}

// SampleBytes returns the mean interval between samples; 0 after Stop.
func (r *Recording) SampleBytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0
	}
	return r.options.SampleBytes
}

// SetSampleBytes changes the mean interval between samples. Each thread adopts it at its next sample. Every sample is
// weighed with the interval it was drawn at, so estimates stay unbiased. After Stop it returns errStopped.
func (r *Recording) SetSampleBytes(n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return errStopped
	}
	r.options.SampleBytes = n
	cgo.SetSampleBytes(n)
	r.recount()
	return nil
}

// recount rebuilds the filter after a time when every block was sampled, because it would then let every free look in the
// live table. If sampled blocks were freed meanwhile, the next call does it, here or at a snapshot.
func (r *Recording) recount() {
	const times = 4
	for range times {
		if r.options.SampleBytes == 1 || region().Load64(layout.HeaderFilterStuck) == 0 {
			return
		}
		r.settle()
	}
}

// Stop ends the recording and drops its data. It may be called again; after an error it must be, before there can be another
// recording.
func (r *Recording) Stop() error {
	running.Lock()
	defer running.Unlock()
	if running.Recording != r {
		return nil
	}
	r.end()
	cgo.ForgetEndings()
	if !cgo.Stop() {
		return fmt.Errorf("a thread is stopped in the middle of recording; its tables stay in memory")
	}
	running.Recording = nil
	r.watch.close()
	r.forget()
	return nil
}

// forget drops the modules, which are no longer needed.
func (r *Recording) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loaded = loaded{}
}

func (r *Recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.losses = r.counters()
		r.stopped = true
	}
}
