package cgoheap

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/serve"
	"github.com/cgoheap/cgoheap/stack"
)

// Baseline is the state of the heaps at one moment, with which later profiles are compared: see ViewDelta and ViewGrowth.
// It holds 40 bytes for each combination of stack and block size of native memory recorded by then, and the stacks of Go's
// own heap; the memory is freed when the program drops the Baseline. Its methods may be called from any goroutine.
type Baseline struct {
	turn   sync.Mutex // held while a profile is compared with the baseline, and may advance it
	mu     sync.Mutex // guards what follows
	native *stack.Baseline
	golang *stack.Baseline // nil once a profile without Go's heap has advanced the baseline
}

// Baseline returns the current state, to compare later profiles with. It fails after Stop.
func (p *Profiler) Baseline() (*Baseline, error) {
	heaps, err := served{p}.Baselines(true)
	if err != nil {
		return nil, err
	}
	return baselineOf(heaps), nil
}

// baselineOf returns a Baseline for one request, so that requests do not wait for each other's lock.
func baselineOf(heaps *serve.Baselines) *Baseline {
	return &Baseline{native: heaps.Native, golang: heaps.Go}
}

// Baselines takes those of now, of both heaps or of native memory only. It fails after Stop.
func (s served) Baselines(both bool) (*serve.Baselines, error) {
	snapshot, err := s.recording.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("cgoheap: %w", err)
	}
	h := newHeaps(snapshot, both)
	taken := &serve.Baselines{Native: stack.NewBaseline(&h.native)}
	if both {
		taken.Go = stack.NewBaseline(h.golang)
	}
	return taken, nil
}

// Time returns when the baseline was taken, or when the profile that last advanced it was.
func (b *Baseline) Time() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.native == nil {
		return time.Time{}
	}
	return b.native.Time()
}

// compare returns the heaps as a view since the baseline shows them.
func (b *Baseline) compare(v View, now heaps) (heaps, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.native == nil {
		return heaps{}, errors.New("the Baseline is not one that Profiler.Baseline returned")
	}
	compare := (*stack.Baseline).Delta
	if v.kind == viewGrowth {
		compare = (*stack.Baseline).Growth
	}
	since := heaps{native: compare(b.native, &now.native)}
	if now.golang == nil {
		return since, nil
	}
	if b.golang == nil {
		return since, errors.New("the Baseline was advanced without Go's heap, so it cannot be compared with it")
	}
	golang := compare(b.golang, now.golang)
	since.golang = &golang
	return since, nil
}

func (b *Baseline) advance(now heaps) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.native.Advance(&now.native)
	if now.golang == nil {
		b.golang = nil
	} else {
		b.golang.Advance(now.golang)
	}
}

// ResetPeak forgets the peak: the memory in use now becomes the new peak that ViewPeak shows until more is in use. It fails
// after Stop.
func (p *Profiler) ResetPeak() error {
	if err := p.recording.ResetPeak(); err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	return nil
}
