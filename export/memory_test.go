package export_test

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

// liveHeap returns the bytes in use after a garbage collection.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestServerThatIsAwayCostsNoMoreMemoryThanTheQueue(t *testing.T) {
	const queueBytes, slack = 1 << 20, 1 << 20
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: always(&delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later})}
		before := liveHeap()
		e := start(t, &standin.Profiler{Filler: 3000}, to, export.Config{QueueBytes: queueBytes})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		to.mu.Lock()
		to.attempts = nil // the stand-in keeps what it was sent
		to.mu.Unlock()
		s := e.Stats()
		if s.Value("export_dropped") == 0 || s.Value("export_queue_bytes") < queueBytes*3/4 {
			t.Fatalf("the queue is not full:\n%s", s)
		}
		if grown := liveHeap() - before; grown > queueBytes+slack {
			t.Errorf("the heap has grown by %d bytes, the queue has %d of at most %d", grown, s.Value("export_queue_bytes"), queueBytes)
		}
	})
}
