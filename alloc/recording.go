//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Recording is what the shim records from Start to Stop. Its methods may be called from any goroutine.
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
	newErr   error // operator new is not seen
	stopped  bool
	losses   []stack.Loss // the last, once stopped
}

// running is the one recording there may be.
var running struct {
	sync.Mutex
	*Recording
}

// readLabels reads a goroutine's labels at start, to see whether hooks can. Tests put a reader in its place that cannot.
var readLabels = cgo.ReadLabels

// Start begins a recording: ErrRunning if there is one, ErrUnsupported with the reason where there can be none.
func Start(o Options) (*Recording, error) {
	running.Lock()
	defer running.Unlock()
	if running.Recording != nil {
		return nil, ErrRunning
	}
	if err := cgo.Supported(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if err := lockedRoom(); err != nil {
		return nil, err
	}
	r := &Recording{options: withDefaults(o), started: time.Now()}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	running.Recording = r
	cgo.Start()
	return r, nil
}

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
	err := cgo.Prepare(cgo.Options{
		TableBytes:  r.options.TableBytes,
		SampleBytes: r.options.SampleBytes,
		MaxDepth:    r.options.MaxDepth,
		Seed:        r.options.Seed,
		ThreadNames: r.options.ThreadNames,
	})
	if err != nil {
		return err
	}
	r.refresh()
	if r.fullErr != nil {
		cgo.Stop()
		return r.fullErr
	}
	r.joinErr = cgo.Probe()
	r.newErr = cgo.Seen()
	if r.options.Goroutines {
		r.labelErr = cgo.LabelGoroutines(readLabels)
	}
	opened := r.opened
	if r.loaded.loads.Watched() {
		opened = nil
	}
	r.watch = newWatch(r.Refresh, opened, r.options.Failed)
	return nil
}

// Refresh looks for files that were loaded or closed since the last time, and for code that was made. It says whether there
// were any such files.
func (r *Recording) Refresh() (changed bool) {
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

// opened reports whether the loader has opened libraries since the last look.
func (r *Recording) opened() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	now := cgo.ReadLoads()
	return now.Count() != r.loaded.loads.Count()
}

// settle has the hooks go over to the newest index and new totals. Samples up to then came from libraries that the loader
// has counted by now.
func (r *Recording) settle() {
	if cgo.Settle() {
		r.loaded.arena.settled()
	}
	loads := cgo.ReadLoads()
	r.loaded.loader.now = loads.Count()
}

// refresh publishes an index even if nothing can be known: without one, no stack would hold so much as its first frame.
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

// SetSampleBytes changes the mean gap between samples. Each thread goes over to it at its next sample: every sample is
// weighed by the gap that it was drawn at, so estimates stay right. ErrStopped after Stop.
func (r *Recording) SetSampleBytes(n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return ErrStopped
	}
	r.options.SampleBytes = n
	cgo.SetSampleBytes(n)
	r.recount()
	return nil
}

// recount makes the filter count again after a time when every block was sampled, because free asks it and finds no end of
// blocks. Where sampled blocks were freed meanwhile the next time does it: here, or at a snapshot.
func (r *Recording) recount() {
	const times = 4
	for range times {
		if r.options.SampleBytes == 1 || load64(cgo.HeaderStuck) == 0 {
			return
		}
		r.settle()
	}
}

// Stop ends the recording; what it held is gone. It may be called again, and after an error it must be, before there can
// be another recording.
func (r *Recording) Stop() error {
	running.Lock()
	defer running.Unlock()
	if running.Recording != r {
		return nil
	}
	r.end()
	if !cgo.Stop() {
		return fmt.Errorf("a thread is stopped in the middle of recording; its tables stay in memory")
	}
	running.Recording = nil
	r.watch.close()
	r.forget()
	return nil
}

// forget drops the modules, which nobody asks about any more.
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
