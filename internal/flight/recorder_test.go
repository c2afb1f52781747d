package flight

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/stack"
)

// manual returns a recorder whose ticks come from the test alone.
func manual(s Sources) *Recorder {
	r := &Recorder{notes: New(room()), sources: s, timer: time.AfterFunc(time.Hour, func() {})}
	for _, read := range s.Paced {
		r.paced = append(r.paced, newPaced(read))
	}
	r.task = background.New("test", func() {}, nil)
	return r
}

func TestOfEachMinuteTheSecondWithTheMostIsKept(t *testing.T) {
	rss := int64(0)
	r := manual(Sources{Quick: []func(*[Fields]int64){func(v *[Fields]int64) { v[RSS], v[Native] = rss, -rss-2 }}})
	defer r.Stop()
	begin := time.Unix(6000, 0)
	for second := range 200 {
		rss = int64(1000 + 10*((second*37)%60) + second/60)
		r.tick(begin.Add(time.Duration(second) * time.Second))
	}
	minutes := r.notes.Minutes()
	if len(minutes) != 3 || len(r.notes.Seconds()) != 200 {
		t.Fatalf("%d minutes, %d seconds", len(minutes), len(r.notes.Seconds()))
	}
	for i, m := range minutes {
		if want := int64(1000 + 590 + i); m.Values[RSS] != want || m.Values[Native] != -want-2 || m.Time.Truncate(time.Minute) != begin.Add(time.Duration(i)*time.Minute) {
			t.Errorf("minute %d: %+v, want %d", i, m, want)
		}
	}
}

// What costs much is read rarely, and its last value stands in the meantime.
func TestASourceIsReadAsOftenAsItsCostAllows(t *testing.T) {
	reads := 0
	slow := func(v *[Fields]int64) {
		reads++
		time.Sleep(2 * time.Millisecond)
		v[MallocFree] = int64(100 + reads)
	}
	r := manual(Sources{Paced: []func(*[Fields]int64){slow}})
	defer r.Stop()
	begin := time.Now()
	for second := range 16 { // 2 ms allow one look in 16 s
		r.tick(begin.Add(time.Duration(second) * time.Second))
	}
	seconds := r.notes.Seconds()
	if reads != 1 || seconds[15].Values[MallocFree] != 101 || seconds[15].Values[Mapped] != Unknown {
		t.Errorf("%d reads, %+v", reads, seconds[15])
	}
	r.tick(begin.Add(longestPause)) // however long the first took
	if reads != 2 {
		t.Errorf("%d reads after a minute", reads)
	}
	rows := NewTimeline(r.notes.Seconds(), r.notes.Seconds())
	for i, row := range rows.Seconds {
		want := map[int]int64{0: 101, 16: 102}[i] // the others were read before
		if want == 0 {
			want = Unknown
		}
		if at := 1 + int(MallocFree); row[at] != want || rows.Minutes[i][at] < 101 {
			t.Errorf("second %d has %d, and as a minute's %d; want %d", i, row[at], rows.Minutes[i][at], want)
		}
	}
}

func TestGosHeapIsNotedOnceAMinuteAndWhenMemoryHasGrown(t *testing.T) {
	rss, heaps := int64(800), 0
	r := manual(Sources{Quick: []func(*[Fields]int64){func(v *[Fields]int64) { v[RSS] = rss }},
		Heap: func() stack.Profile { heaps++; return heapOf(heaps, 1) }})
	defer r.Stop()
	begin := time.Now()
	at := func(second int) time.Time { return begin.Add(time.Duration(second) * time.Second) }
	for i, step := range []struct {
		second, want int
		rss          int64
	}{{0, 1, 800}, {10, 1, 900}, {20, 2, 901}, {50, 2, 901}, {80, 3, 901}, {139, 3, 1}, {140, 4, 1}} {
		rss = step.rss
		r.heapDue = time.Time{} // whatever it cost here
		if r.tick(at(step.second)); heaps != step.want {
			t.Errorf("step %d: noted %d times, want %d", i, heaps, step.want)
		}
	}
	r.NoteHeap()
	if heap, ok := r.notes.HeapUntil(Latest); heaps != 5 || !ok || len(heap.Samples) != 5 {
		t.Errorf("%d, %v, %+v", heaps, ok, heap)
	}
}

func TestAPanicOfASourceIsReportedAndTheNextRecordIsNoted(t *testing.T) {
	var calls, failures atomic.Int64
	r := Start(New(room()), Sources{Quick: []func(*[Fields]int64){func(*[Fields]int64) {
		if calls.Add(1) == 1 {
			panic("fault")
		}
	}}}, func(err error) {
		if caught := (*background.Panic)(nil); errors.As(err, &caught) {
			failures.Add(1)
		}
	})
	defer r.Stop()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		noted := 0
		r.Read(func(n *Notes) { noted = len(n.Seconds()) })
		if noted > 0 && failures.Load() == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d records, %d failures", noted, failures.Load())
		}
	}
}

func TestAfterStopNothingIsTouched(t *testing.T) {
	var reads atomic.Int64
	r := Start(New(room()), Sources{Heap: func() stack.Profile { reads.Add(1); return stack.Profile{} }}, nil)
	r.Stop()
	r.Stop()
	before := reads.Load() + 1 // one may be reading just now
	r.Read(func(*Notes) { t.Error("notes after Stop") })
	r.NoteHeap()
	r.NoteHeap()
	r.tick(time.Now())
	if reads.Load() > before {
		t.Error("Go's heap was read after Stop")
	}
}

func TestASourceRestsByWhatItCosts(t *testing.T) {
	for took, rest := range map[time.Duration]time.Duration{
		0: 0, time.Millisecond: share * time.Millisecond, time.Second: longestPause,
	} {
		synctest.Test(t, func(t *testing.T) {
			reads := 0
			p := newPaced(func(v *[Fields]int64) {
				reads++
				v[RSS] = int64(reads)
				time.Sleep(took)
			})
			begin := time.Now()
			for _, c := range []struct {
				after time.Duration
				reads int64
			}{{0, 1}, {rest - 1, 1}, {rest, 2}} {
				record := Record{Values: unknown}
				if c.after < 0 {
					continue
				}
				p.fill(begin.Add(c.after), &record)
				if record.Values[RSS] != c.reads || record.IsOld(RSS) != (c.after == rest-1) || record.IsOld(Native) {
					t.Errorf("took %v: after %v the value is of reading %d, want %d: %+v", took, c.after, record.Values[RSS], c.reads, record)
				}
			}
		})
	}
}
