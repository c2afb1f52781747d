package cgoheap

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/recovery"
)

// Recovered is what was recovered of a process that had a black box and is gone: the profile of its last moment, in a file.
// Beside it lies a file whose name ends with .json instead of .pb.gz, with the account and the timeline of its last hours.
type Recovered struct {
	Path    string // of the profile, an ordinary dump
	Program string // the path of the process's executable
	Host    string
	PID     int
	Started time.Time // when its recording began
	Ended   time.Time // its last sign of life, within a second of its end if it did not hang
	Cause   string    // of its end, as far as it is known
	Verdict []string  // three sentences: how it ended, what its memory was, and who held most of it
}

// recovering is the recovery of what others have left, beside the start.
type recovering struct {
	done  chan struct{}
	ended atomic.Bool
	found []Recovered // once done
}

// recover begins to recover what is in the directory of the black box.
func (p *Profiler) recover() {
	if p.config.BlackBox == "" {
		return
	}
	r := &recovering{done: make(chan struct{})}
	p.recovering = r
	o := recovery.Options{Boxes: p.config.BlackBox, Own: p.box.Load().Path(), To: p.config.RecoverDir, Keep: p.config.RecoverKeep,
		KeepBytes: p.config.RecoverKeepBytes,
		Names:     p.config.names(), Logger: p.config.Logger, Ended: r.ended.Load}
	background.New("recovering black boxes", func() {
		defer close(r.done)
		for _, f := range recovery.Run(o) {
			r.found = append(r.found, Recovered{Path: f.Path, Program: f.Program, Host: f.Host, PID: f.PID, Started: f.Started, Ended: f.Ended,
				Cause: f.Cause, Verdict: f.Verdict})
		}
	}, p.failed).Ask()
}

// stopRecovering has the recovery end after the box that it is at.
func (p *Profiler) stopRecovering() {
	if p.recovering != nil {
		p.recovering.ended.Store(true)
	}
}

// Recovered returns what Start has recovered, the newest first. The recovery happens beside the start: Recovered waits until it
// is over, which takes some seconds if other processes record into the same directory, or returns the context's error. Without
// Config.BlackBox it returns none.
func (p *Profiler) Recovered(ctx context.Context) ([]Recovered, error) {
	if p.recovering == nil {
		return nil, nil
	}
	select {
	case <-p.recovering.done:
		return p.recovering.found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
