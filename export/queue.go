package export

import (
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// queue holds the batches that are not delivered yet, oldest first, within two bounds. put never waits: if a bound is
// exceeded, it drops the oldest batches. A batch that is being sent at that moment stays, because it may have arrived; a
// batch that waits for another attempt is dropped like any other.
//
// A batch of a process that died is behind all batches of this process, however old it is. One that did not arrive is parked
// until a batch of this process has arrived. So it delays none of them by more than an attempt.
//
// A batch may take at most half of the bytes, so that a batch being sent always leaves room for a new one.
type queue struct {
	mostEntries int
	mostBytes   int64
	changed     chan struct{} // holds one token after a put or a close

	mu      sync.Mutex
	entries []*entry
	bytes   int64
	closed  bool
}

type entry struct {
	batch    *delivery.Batch
	size     int64
	born     time.Time
	attempts int  // how often the server failed on it
	sending  bool // an attempt is being made
	parked   bool // not to be taken before a batch of this process has arrived, or the queue is closed
}

func newQueue(entries int, bytes int64) *queue {
	return &queue{mostEntries: entries, mostBytes: bytes, changed: make(chan struct{}, 1)}
}

// mostBatchBytes returns the bound on one batch.
func (q *queue) mostBatchBytes() int64 { return q.mostBytes / 2 }

// put appends a batch and returns those dropped to make room, or the batch itself if the queue is closed.
func (q *queue) put(b *delivery.Batch) (dropped []*entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := &entry{batch: b, size: b.Size(), born: time.Now()}
	if q.closed {
		return []*entry{e}
	}
	q.entries = append(q.entries, e)
	q.bytes += e.size
	for len(q.entries) > q.mostEntries || q.bytes > q.mostBytes {
		oldest := q.entries[0]
		if oldest.sending {
			oldest = q.entries[1]
		}
		q.delete(oldest)
		dropped = append(dropped, oldest)
	}
	q.signal()
	return dropped
}

// take marks the next batch as being sent and returns it; nil if there is none now. more reports whether there can still be
// one.
func (q *queue) take() (e *entry, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e = q.next(); e == nil {
		return nil, !q.closed
	}
	e.sending = true
	return e, true
}

// next returns the oldest batch of this process; if there is none, the oldest of another that is not parked.
func (q *queue) next() (recovered *entry) {
	for _, e := range q.entries {
		if e.batch.Recovered == nil {
			return e
		}
		if recovered == nil && (!e.parked || q.closed) {
			recovered = e
		}
	}
	return recovered
}

// arrived removes a batch that has arrived.
func (q *queue) arrived(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.delete(e)
	for _, other := range q.entries {
		other.parked = other.parked && e.batch.Recovered != nil
	}
}

// park keeps a batch of a process that died, unless the queue is closed: then it drops the batch.
func (q *queue) park(e *entry) (kept bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.sending, e.parked = false, true
	if q.closed {
		q.delete(e)
	}
	return !q.closed
}

// keep marks a batch for another attempt; remove drops it.
func (q *queue) keep(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.sending = false
}

func (q *queue) remove(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.delete(e)
}

func (q *queue) delete(e *entry) {
	if i := slices.Index(q.entries, e); i >= 0 {
		q.entries = slices.Delete(q.entries, i, i+1)
		q.bytes -= e.size
	}
}

// close marks the end: later batches are not accepted.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// recovered returns the batches of processes that died.
func (q *queue) recovered() (list []*entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.entries {
		if e.batch.Recovered != nil {
			list = append(list, e)
		}
	}
	return list
}

// size returns the number of batches and their bytes.
func (q *queue) size() (batches int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries), q.bytes
}
