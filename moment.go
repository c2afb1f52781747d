package cgoheap

import (
	"fmt"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// Moment is a point in time that later profiles are compared with. It holds 40 bytes for each stack and block size that
// was recorded by then, and those of Go's own heap; dropping it gives them back. It may be used from any goroutine.
type Moment struct {
	mu       sync.Mutex
	baseline *stack.Baseline
}

// Time is when it was.
func (m *Moment) Time() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.baseline.Time()
}

// Moment is now, to compare later profiles with. It fails after Stop.
func (p *Profiler) Moment() (*Moment, error) {
	s, err := p.recording.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("cgoheap: %w", err)
	}
	return &Moment{baseline: stack.NewBaseline(&s.Profile)}, nil
}

// ResetPeak makes what is in use now the highest so far, from which the view Peak goes on. It fails after Stop.
func (p *Profiler) ResetPeak() error {
	if err := p.recording.ResetPeak(); err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	return nil
}
