package cgoheap

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// A request for a delta waits for up to a day, and the moment that it is compared with takes 40 bytes for each stack and block
// size meanwhile. So requests that come within a second share one moment, which is let go of with the last of them, and all
// moments together are bounded: a request beyond that is refused, and told when to come again.

const (
	sharedFor    = time.Second // the delta of a request may begin so much before it
	mostBaseline = 64 << 20    // bytes of all moments that requests wait with; one is always possible
)

// waits are the moments that requests are waiting with.
type waits struct {
	mu    sync.Mutex
	held  []*baseline // the last one taken is the last
	taken int64       // bytes of that
	now   func() time.Time
	most  int64
}

// baseline is a moment that one or more requests wait with.
type baseline struct {
	native, golang *stack.Baseline // golang is nil if nobody asks for Go's heap
	taken          time.Time
	until          time.Time // when the last that waits for it is answered
	waiting        int
}

func newWaits() *waits { return &waits{now: time.Now, most: mostBaseline} }

// busyError says that too much waits already.
type busyError struct {
	moments int
	bytes   int64
	after   time.Duration // until something of it is answered
}

func (e *busyError) Error() string {
	return fmt.Sprintf("cgoheap: requests with the parameter seconds are waiting with %d moments to compare with, which hold %d bytes; "+
		"there may not be more, and the first is answered in %v", e.moments, e.bytes, e.after.Round(time.Second))
}

// retryAfter is the time in whole seconds, as the header Retry-After has it.
func (e *busyError) retryAfter() int { return max(1, int(math.Ceil(e.after.Seconds()))) }

// join gives a request that waits for so long a moment to compare with, of both heaps or of native memory. The request must
// leave it.
func (w *waits) join(wait time.Duration, both bool, take func() (*baseline, error)) (b *baseline, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if b = w.recent(now, both); b == nil {
		if err := w.busy(now); err != nil {
			return nil, err
		}
		if b, err = take(); err != nil {
			return nil, err
		}
		b.taken = w.now()
		w.taken = b.size()
		w.held = append(w.held, b)
	}
	b.waiting++
	if until := now.Add(wait); until.After(b.until) {
		b.until = until
	}
	return b, nil
}

// recent is a moment that was taken just now and knows of both heaps if it has to; nil if there is none.
func (w *waits) recent(now time.Time, both bool) *baseline {
	for _, b := range slices.Backward(w.held) {
		if now.Sub(b.taken) < sharedFor && (b.golang != nil || !both) {
			return b
		}
	}
	return nil
}

// busy is an error if there is no room for another moment as large as the last.
func (w *waits) busy(now time.Time) error {
	if len(w.held) == 0 {
		return nil
	}
	var bytes int64
	first := w.held[0].until
	for _, b := range w.held {
		bytes += b.size()
		if b.until.Before(first) {
			first = b.until
		}
	}
	if bytes+w.taken <= w.most {
		return nil
	}
	return &busyError{len(w.held), bytes, max(0, first.Sub(now))}
}

func (w *waits) leave(b *baseline) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b.waiting--; b.waiting == 0 {
		w.held = slices.DeleteFunc(w.held, func(other *baseline) bool { return other == b })
	}
}

func (b *baseline) size() int64 {
	bytes := b.native.Size()
	if b.golang != nil {
		bytes += b.golang.Size()
	}
	return bytes
}

// moment is the request's own, which nobody else has to wait for.
func (b *baseline) moment() *Moment { return &Moment{native: b.native, golang: b.golang} }

// takeBaseline takes now, of both heaps or of native memory. It fails after Stop.
func (p *Profiler) takeBaseline(both bool) (*baseline, error) {
	s, err := p.recording.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("cgoheap: %w", err)
	}
	h := newHeaps(s, both)
	b := &baseline{native: stack.NewBaseline(&h.native)}
	if both {
		b.golang = stack.NewBaseline(h.golang)
	}
	return b, nil
}
