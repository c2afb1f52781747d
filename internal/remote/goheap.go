package remote

import (
	"fmt"
	"iter"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// goHeap returns Go's own heap, if it was noted and goes with the view.
func (r *Recording) goHeap(v View) *flight.Heap {
	if v.Name != report.InUse.Name && v.Name != report.Allocated.Name && v.Name != report.RSS.Name {
		return nil
	}
	heap := heapIn(r.region)
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
	out.Samples = make([]stack.Sample, len(heap.Samples))
	for i, s := range heap.Samples {
		s.Labels = []stack.Label{{Key: report.HeapLabel, Text: "go"}}
		out.Samples[i] = s
	}
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
