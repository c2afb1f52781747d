package cgoheap

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// Moment is a point in time that later profiles are compared with. It holds 40 bytes for each stack and block size of
// native memory that was recorded by then, and the stacks of Go's own heap; dropping it gives them back. It may be used
// from any goroutine.
type Moment struct {
	turn   sync.Mutex // of the profile that is compared with it, and may advance it
	mu     sync.Mutex // guards what follows
	native *stack.Baseline
	golang *stack.Baseline // nil once it was advanced by a profile without Go's heap
}

// Moment is now, to compare later profiles with. It fails after Stop.
func (p *Profiler) Moment() (*Moment, error) {
	b, err := p.takeBaseline(true)
	if err != nil {
		return nil, err
	}
	return b.moment(), nil
}

// Time is when it was.
func (m *Moment) Time() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.native.Time()
}

// compare makes of the heaps what a view shows of them since the moment.
func (m *Moment) compare(v View, now heaps) (heaps, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	compare := (*stack.Baseline).Delta
	if v == Growth {
		compare = (*stack.Baseline).Growth
	}
	since := heaps{native: compare(m.native, &now.native)}
	if now.golang == nil {
		return since, nil
	}
	if m.golang == nil {
		return since, errors.New("the Moment was advanced without Go's heap, so it cannot be compared with it")
	}
	golang := compare(m.golang, now.golang)
	since.golang = &golang
	return since, nil
}

func (m *Moment) advance(now heaps) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.native.Advance(&now.native)
	if now.golang == nil {
		m.golang = nil
	} else {
		m.golang.Advance(now.golang)
	}
}

// ResetPeak makes what is in use now the highest so far, from which the view Peak goes on. It fails after Stop.
func (p *Profiler) ResetPeak() error {
	if err := p.recording.ResetPeak(); err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	return nil
}
