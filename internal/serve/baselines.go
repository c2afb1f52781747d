package serve

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// A request for a delta waits for up to a day, and holds a baseline meanwhile, 40 bytes for each stack and block size. So
// requests that arrive within a second share one baseline, which is dropped with the last of them. All baselines together
// are bounded: a request beyond the bound is refused, with the time when to come back.

const (
	sharedFor    = time.Second // a request's delta may begin this long before the request
	mostBaseline = 64 << 20    // bytes of all baselines that requests hold; one baseline is always allowed
)

// Baselines are the heaps at one moment, with which a later profile is compared.
type Baselines struct {
	Native, Go *stack.Baseline // Go is nil if no request wants Go's heap
}

func (b *Baselines) size() int64 {
	bytes := b.Native.Size()
	if b.Go != nil {
		bytes += b.Go.Size()
	}
	return bytes
}

// waits are the baselines that requests are waiting with.
type waits struct {
	mu    sync.Mutex
	held  []*held // in the order they were taken
	taken int64   // size of the last one taken
	now   func() time.Time
	most  int64
}

// held is the baseline that one or more waiting requests share.
type held struct {
	*Baselines
	taken   time.Time
	until   time.Time // when the last of its requests is answered
	waiting int
}

// busyError reports that the waiting requests hold as much memory as they may.
type busyError struct {
	baselines int
	bytes     int64
	after     time.Duration // until the first of them is answered
}

func (e *busyError) Error() string {
	return fmt.Sprintf("cgoheap: requests with the parameter seconds are waiting, and hold %d bytes in %s; "+
		"there may not be more, and the first is answered in %v", e.bytes, report.Count(int64(e.baselines), "baseline"), e.after.Round(time.Second))
}

// retryAfter returns the value of the header Retry-After, in whole seconds.
func (e *busyError) retryAfter() int { return max(1, int(math.Ceil(e.after.Seconds()))) }

// join returns the baseline of a request that waits, of both heaps or of native memory only. The caller must call leave.
func (w *waits) join(wait time.Duration, both bool, take func(both bool) (*Baselines, error)) (b *held, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if b = w.recent(now, both); b == nil {
		if err := w.busy(now); err != nil {
			return nil, err
		}
		heaps, err := take(both)
		if err != nil {
			return nil, err
		}
		b = &held{Baselines: heaps, taken: w.now()}
		w.taken = b.size()
		w.held = append(w.held, b)
	}
	b.waiting++
	if until := now.Add(wait); until.After(b.until) {
		b.until = until
	}
	return b, nil
}

// recent returns a baseline young enough to share, of both heaps if both are wanted; nil if there is none.
func (w *waits) recent(now time.Time, both bool) *held {
	for _, b := range slices.Backward(w.held) {
		if now.Sub(b.taken) < sharedFor && (b.Go != nil || !both) {
			return b
		}
	}
	return nil
}

// busy returns an error if there is no room for another baseline as large as the last.
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

func (w *waits) leave(b *held) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b.waiting--; b.waiting == 0 {
		w.held = slices.DeleteFunc(w.held, func(other *held) bool { return other == b })
	}
}
