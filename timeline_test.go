//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func getTimeline(t *testing.T, p *Profiler, query string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	p.PagesHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/cgoheap/timeline"+query, nil))
	return w
}

// A block shows in the next second, and not in the one after it was freed.
func TestTheTimelineHasWhatIsInUse(t *testing.T) {
	p := start(t, Config{SampleBytes: 1, Timeline: true})
	const size = 200 << 20
	is := func(grown bool) bool {
		var got struct {
			Columns []struct{ Name string }
			Seconds [][]*int64
		}
		if err := json.Unmarshal(getTimeline(t, p, "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Seconds) == 0 {
			return false
		}
		last := got.Seconds[len(got.Seconds)-1]
		column := func(f flight.Field) int64 {
			if got.Columns[1+f].Name != f.About().Name || last[1+f] == nil {
				t.Fatalf("%+v, %s", got.Columns, f.About().Name)
			}
			return *last[1+f]
		}
		if column(flight.RSS) < 1<<20 || column(flight.GoHeap) < 1<<10 || column(flight.Threads) < 1 || column(flight.Goroutines) < 1 {
			t.Errorf("%d bytes, %d in Go's heap, %d threads, %d goroutines", column(flight.RSS), column(flight.GoHeap), column(flight.Threads),
				column(flight.Goroutines))
		}
		return (column(flight.Native) >= size) == grown
	}
	await := func(grown bool) {
		for deadline := time.Now().Add(10 * time.Minute); !is(grown); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the timeline does not show whether the block is in use: ", grown)
			}
		}
	}
	block := victim.Malloc(size)
	await(true)
	victim.Free(block)
	await(false)
	if w := getTimeline(t, p, "?last=1"); w.Code != http.StatusBadRequest {
		t.Error(w.Code)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if w := getTimeline(t, p, ""); w.Code != http.StatusNotFound {
		t.Error("after Stop: ", w.Code)
	}
}

func TestWithoutATimeline(t *testing.T) {
	p := start(t, Config{})
	if w := getTimeline(t, p, ""); w.Code != http.StatusNotFound || p.flight != nil {
		t.Error(w.Code, p.flight)
	}
	p.markReached()
}

// Go's heap is noted when memory reaches a mark.
func TestAMarkNotesGosHeap(t *testing.T) {
	p := start(t, Config{Timeline: true})
	noted := func() (at time.Time) {
		p.flight.Read(func(n *flight.Notes) {
			if heap, ok := n.HeapUntil(flight.Latest); ok {
				at = heap.Time
			}
		})
		return at
	}
	for deadline := time.Now().Add(10 * time.Minute); noted().IsZero(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Go's heap is not noted")
		}
	}
	before := noted()
	p.markReached()
	if !noted().After(before) {
		t.Error("it was not noted again")
	}
}
