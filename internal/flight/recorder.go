package flight

import (
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/stack"
)

// Sources are where figures come from. Each sets the fields that it can.
type Sources struct {
	Quick []func(*[Fields]int64) // cost some microseconds each
	Paced []func(*[Fields]int64) // may cost more, and are read accordingly more rarely
	Heap  func() stack.Profile   // Go's own heap
}

// Recorder notes a record every second, until it is stopped. Sources are read without its lock: one that hangs keeps nobody
// waiting.
type Recorder struct {
	task    *background.Task
	timer   *time.Timer
	sources Sources
	paced   []*paced // of the task alone

	mu      sync.Mutex // guards what follows
	notes   *Notes
	records uint64 // how many were noted
	minutes uint64
	heaps   uint64
	last    Record
	minute  Record // the one of the present minute with the most resident memory
	heapDue time.Time
	heapAt  time.Time // when the heap was last noted
	heapRSS int64     // what was resident then
	stopped bool
}

// Every is the time between two records.
const Every = time.Second

// Start begins to note. A panic of a source goes to failed.
func Start(n *Notes, s Sources, failed func(error)) *Recorder {
	r := &Recorder{notes: n, sources: s}
	for _, read := range s.Paced {
		r.paced = append(r.paced, newPaced(read))
	}
	r.task = background.New("the flight recorder", func() { r.tick(time.Now()) }, failed)
	r.timer = time.AfterFunc(time.Hour, r.task.Ask)
	r.task.Ask()
	return r
}

// tick notes a record, and arranges the next.
func (r *Recorder) tick(now time.Time) {
	defer r.arrange(now) // after a panic as well
	if record := r.read(now); r.note(&record) {
		r.noteHeap(now)
	}
}

func (r *Recorder) arrange(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.timer.Reset(now.Truncate(Every).Add(Every).Sub(now))
	}
}

func (r *Recorder) read(now time.Time) Record {
	record := Record{Time: now, Values: unknown}
	for _, p := range r.paced {
		p.fill(now, &record)
	}
	for _, read := range r.sources.Quick {
		read(&record.Values)
	}
	return record
}

// note notes a record, and reports whether Go's heap should be noted as well.
func (r *Recorder) note(record *Record) (heap bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	r.last = *record
	r.records++
	r.notes.seconds.put(r.records, record)
	r.noteMinute(record)
	return r.heapWanted(record)
}

// noteMinute keeps the second with the most resident memory, and notes it when its minute is over.
func (r *Recorder) noteMinute(now *Record) {
	then := &r.minute
	if !then.Time.IsZero() && !then.Time.Truncate(time.Minute).Equal(now.Time.Truncate(time.Minute)) {
		r.minutes++
		r.notes.minutes.put(r.minutes, then)
		*then = Record{}
	}
	if then.Time.IsZero() || now.Values[RSS] >= then.Values[RSS] {
		*then = *now
	}
}

// Go's heap is noted once a minute, and when so much more is resident than at the last time.
const (
	heapEvery  = time.Minute
	heapGrowth = 8 // an eighth
)

// heapWanted reports whether Go's heap should be noted now.
func (r *Recorder) heapWanted(now *Record) bool {
	if r.sources.Heap == nil || now.Time.Before(r.heapDue) {
		return false
	}
	return now.Time.Sub(r.heapAt) >= heapEvery || now.Values[RSS] > r.heapRSS+r.heapRSS/heapGrowth
}

// noteHeap reads Go's heap and notes it.
func (r *Recorder) noteHeap(now time.Time) {
	begin := time.Now()
	p := r.sources.Heap()
	cost := time.Since(begin)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	r.heaps++
	r.notes.heaps[r.heaps%2].put(r.heaps, &p)
	r.heapDue = now.Add(min(share*cost, longestHeapPause))
	r.heapAt, r.heapRSS = now, r.last.Values[RSS]
}

// NoteHeap notes Go's heap now: memory has reached a mark. After Stop it does nothing.
func (r *Recorder) NoteHeap() {
	r.mu.Lock()
	skip := r.stopped || r.sources.Heap == nil
	r.mu.Unlock()
	if !skip {
		r.noteHeap(time.Now())
	}
}

// Read calls do with the notes, which do not change meanwhile; not after Stop.
func (r *Recorder) Read(do func(*Notes)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		do(r.notes)
	}
}

// Stop ends the recording. When it returns, the notes' memory is not used any more. A source that is being read at that moment
// is not waited for.
func (r *Recorder) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.timer.Stop()
	r.task.Quit()
}

// The recorder may take a thousandth of one processor. Most figures cost some microseconds and are read every second. The
// others cost what the process's memory or the machine makes them cost; so each of them is paced: after it was read, it is left
// alone for as many times that long as its share of a processor allows, and the last values stand in the meantime.

// share is how many times as long as reading a paced source took it is left alone. There are five, and Go's heap.
const share = 8000

// The pause is bounded, because what took long may have waited, as everything does where memory is short: then figures matter most.
const (
	longestPause     = time.Minute
	longestHeapPause = 10 * time.Minute
)

// paced is a source that is read as often as its cost allows.
type paced struct {
	read func(values *[Fields]int64) // sets its own fields
	due  time.Time
	last [Fields]int64 // what it set; Unknown for the fields of others
}

func newPaced(read func(*[Fields]int64)) *paced {
	p := &paced{read: read}
	p.last = unknown
	return p
}

// fill sets the source's fields.
func (p *paced) fill(now time.Time, record *Record) {
	old := now.Before(p.due)
	if !old {
		p.last = unknown
		begin := time.Now()
		p.read(&p.last)
		p.due = now.Add(min(share*time.Since(begin), longestPause))
	}
	for f, value := range p.last {
		if value != Unknown {
			record.Values[f] = value
			if old {
				record.Old |= 1 << f
			}
		}
	}
}

var unknown = func() (all [Fields]int64) {
	for f := range all {
		all[f] = Unknown
	}
	return all
}()
