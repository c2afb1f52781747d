package remote

import (
	"fmt"
	"iter"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// History is what the flight recorder has noted.
type History struct {
	Seconds, Minutes []flight.Record // the oldest first
	Heap             *flight.Heap    // Go's own heap; nil if it was not noted
}

// Last returns the last record; nil if there is none.
func (h *History) Last() *flight.Record {
	if len(h.Seconds) == 0 {
		return nil
	}
	return &h.Seconds[len(h.Seconds)-1]
}

// History returns what the flight recorder has noted. It is empty if there was none.
func (r *Recording) History() (h History, err error) {
	err = withoutFaults(func() error {
		h = historyIn(r.region)
		return nil
	})
	return h, err
}

func historyIn(region tables.Region) (h History) {
	if notes := notesIn(region); notes != nil {
		h.Seconds, h.Minutes = notes.Seconds(), notes.Minutes()
	}
	h.Heap = heapIn(region, flight.Latest)
	return h
}

// lastIn returns the last record; nil if there is none.
func lastIn(region tables.Region) *flight.Record {
	var h History
	if notes := notesIn(region); notes != nil {
		h.Seconds = notes.Seconds()
	}
	return h.Last()
}

// notesIn returns the flight recorder's notes; nil if there are none.
func notesIn(region tables.Region) *flight.Notes {
	return flight.Open(region.Bytes(region.Load64(layout.HeaderFlight), region.Load64(layout.HeaderFlightSize)))
}

// heapIn returns Go's own heap as it was noted last until a time; nil if it was not.
func heapIn(region tables.Region, end time.Time) *flight.Heap {
	if notes := notesIn(region); notes != nil {
		if heap, ok := notes.HeapUntil(end); ok {
			return &heap
		}
	}
	return nil
}

// Signal is a signal that came, and when.
type Signal struct {
	syscall.Signal // 0 for none
	Time           time.Time
}

// Asked returns the last signal that asked the process to end.
func (r *Recording) Asked() Signal { return r.signalAt(layout.HeaderAskedToEnd) }

// Faulted returns the last signal that said that the program is faulty: SIGSEGV and the like. The process may have survived it.
func (r *Recording) Faulted() Signal { return r.signalAt(layout.HeaderFaulted) }

func (r *Recording) signalAt(field uint64) (s Signal) {
	_ = withoutFaults(func() error {
		if note := r.region.Load64(field); note != 0 {
			s.Signal = syscall.Signal(note & layout.EndingSignal)
			s.Time = r.wall(note &^ layout.EndingSignal)
		}
		return nil
	})
	return s
}

// wall returns the time of a clock that began some time before the recording, as the header's.
func (r *Recording) wall(clock uint64) time.Time {
	return r.Started().Add(time.Duration(clock - r.region.Load64(layout.HeaderClock)))
}

// Close releases what the Recording of a file takes.
func (r *Recording) Close() {
	if r.unmap != nil {
		r.unmap()
	}
	r.unmap, r.region = nil, nil
}

// goHeap returns Go's own heap, if it was noted and goes with the view.
func (r *Recording) goHeap(v View) *flight.Heap {
	if v.Name != report.InUse.Name && v.Name != report.Allocated.Name && v.Name != report.RSS.Name {
		return nil
	}
	end := flight.Latest
	if r.Living { // a note may be newer than the settled tables
		end = r.Time
	}
	heap := heapIn(r.region, end)
	if heap != nil {
		for i := range heap.Samples {
			for j, f := range heap.Samples[i].Frames {
				heap.Samples[i].Frames[j] = r.withModule(f, false)
			}
		}
	}
	return heap
}

// addHeap adds Go's own heap to a report of native memory. Each sample gets the label of its heap.
func addHeap(out *report.Report, heap *flight.Heap, now time.Time) {
	out.GoSampleBytes = heap.SampleBytes
	out.Samples = report.AppendLabelled(nil, heap.Samples, "go")
	out.Each = labelled(out.Each, stack.Label{Key: report.HeapLabel, Text: "native"})
	if heap.Rest != (stack.Values{}) {
		out.Leaves = append(out.Leaves, smallerStacks(heap.Rest))
	}
	out.Header.Comments = append(out.Header.Comments, heapComment(heap, now)+"; what only the process can count is not in it")
}

func smallerStacks(v stack.Values) report.Leaf {
	return report.Leaf{Name: "Go: smaller stacks", Group: "go", Values: v}
}

func heapComment(heap *flight.Heap, now time.Time) string {
	return fmt.Sprintf("cgoheap: read from outside the process: Go's own heap is as of the last garbage collection before %s, %v before the profile, "+
		"by its largest stacks, %s", heap.Time.UTC().Format(time.RFC3339), now.Sub(heap.Time).Round(time.Second), report.Sampling(heap.SampleBytes))
}

// labelled adds a label to each sample. It replaces a goroutine's label of the same key.
func labelled(samples iter.Seq[*stack.Sample], label stack.Label) iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		samples(func(s *stack.Sample) bool {
			s.Labels = stack.WithLabel(s.Labels, label)
			return yield(s)
		})
	}
}
