package export

import (
	"slices"
	"sync"
	"time"
)

// queue holds the batches that are not delivered yet, oldest first, within two bounds. Putting one in never waits: what is
// over the bounds falls out at the old end. Only a batch that is on its way at that moment stays, as it may have arrived;
// one that waits to be sent again is as old as it is, and falls.
//
// A batch may have half of the bytes at most, so that one on its way never leaves a new one without room.
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
	batch    *Batch
	size     int64
	born     time.Time
	attempts int  // how often the server failed on it
	sending  bool // it is on its way
}

func newQueue(entries int, bytes int64) *queue {
	return &queue{mostEntries: entries, mostBytes: bytes, changed: make(chan struct{}, 1)}
}

// mostBatchBytes is the bound on one batch.
func (q *queue) mostBatchBytes() int64 { return q.mostBytes / 2 }

// put appends a batch and returns those that fell out for it.
func (q *queue) put(b *Batch) (dropped []*entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := &entry{batch: b, size: b.Size(), born: time.Now()}
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

// take marks the oldest batch as on its way. It is nil if there is none; more tells whether there can still be one.
func (q *queue) take() (e *entry, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.entries) == 0 {
		return nil, !q.closed
	}
	q.entries[0].sending = true
	return q.entries[0], true
}

// keep says that a batch is not on its way any more and will be sent again, and remove that it will not.
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

// close says that nothing more will be put in.
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

// size is how many batches and bytes there are.
func (q *queue) size() (batches int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries), q.bytes
}
