package remote

import (
	"fmt"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// addResident adds what is resident to a report of native memory: the samples of blocks, of Go's own heap, which may be nil,
// and of calls that map memory, fitted to the account, and the account's other lines.
func (r *Recording) addResident(out *report.Report, native []stack.Sample, heap *flight.Heap) {
	all := report.Resident{Native: bounded(native), Mapped: r.callSamples()}
	if heap != nil {
		out.GoSampleBytes = heap.SampleBytes
		all.Go = bounded(append(heap.Samples, stack.Sample{Values: heap.Rest}))
	}
	out.Leaves = all.Fit(r.pages.account)
	for _, s := range all.Go {
		if len(s.Frames) == 0 {
			out.Leaves = append(out.Leaves, smallerStacks(stack.Values{InuseObjects: s.InuseObjects, InuseBytes: s.InuseBytes}))
			continue
		}
		out.Samples = report.AppendLabelled(out.Samples, []stack.Sample{s}, "go")
	}
	out.Samples = report.AppendLabelled(out.Samples, all.Native, "native")
	out.Samples = report.AppendLabelled(out.Samples, all.Calls(), "mapped")
	out.Header.Comments = append(out.Header.Comments, r.residentComments(heap)...)
	out.Header.Comments = append(out.Header.Comments, report.AccountComments(r.pages.account)...)
}

// bounded leaves out what no process can have in use, as in tables that were overwritten: sums would overflow.
func bounded(samples []stack.Sample) []stack.Sample {
	const most = 1 << 57
	var sum int64
	return slices.DeleteFunc(samples, func(s stack.Sample) bool {
		if s.InuseBytes < 0 || s.InuseBytes > most-sum {
			return true
		}
		sum += s.InuseBytes
		return false
	})
}

// callSamples returns what is resident of the program's mappings, one sample for each stack, by the line of the account.
func (r *Recording) callSamples() map[string][]stack.Sample {
	stacks := tables.NewStacks(r.region, r.depth(), r.region.Counted(layout.CountStacks), nil)
	numbers := make([]uint32, len(r.pages.mapped))
	for i, m := range r.pages.mapped {
		if m.Kind == account.Program && m.ID != 0 {
			numbers[i] = stacks.Number(uint32(m.ID))
		}
	}
	stacks.Resolve(r.withModule)
	frames := stacks.Unroll()
	var samples account.CallSamples
	for i, m := range r.pages.mapped {
		if m.Kind == account.Program && m.ID != 0 {
			m.Frames = frames[numbers[i]]
			samples.Add(&m, &r.pages.found[i])
		}
	}
	return samples.ByLine
}

// residentComments say what differs from the profile that the process itself writes.
func (r *Recording) residentComments(heap *flight.Heap) []string {
	list := []string{"cgoheap: read from outside the process: what its allocators and its Go runtime count themselves is not known, so what malloc has free " +
		"is not told from blocks that are not recorded, and an estimate of blocks is only cut to malloc's memory; stacks of ended threads, and of threads that ran on other stacks, count as [" + account.CallerUnknown + "]"}
	if last := lastIn(r.region); last != nil && last.Has(flight.GoHeap) {
		list = append(list, fmt.Sprintf("cgoheap: how much of Go's memory is heap in use was noted %v before the profile", r.Time.Sub(last.Time).Round(time.Millisecond)))
	}
	if heap != nil {
		list = append(list, heapComment(heap, r.Time))
	}
	if found := r.pages.reported; found > 0 {
		list = append(list, fmt.Sprintf("cgoheap: blocks that the program reported, %d bytes in use, have no stacks here: they count as a part of what they lie in", found))
	}
	if r.pages.unsure {
		list = append(list, "cgoheap: who mapped memory is not known, because a thread stood in the middle of recording it: try again")
	}
	if r.pages.rss != 0 {
		list = append(list, fmt.Sprintf("cgoheap: the profile is partial: its lines add up to %d bytes, and by the kernel's figure RSS is %d", r.pages.account.RSS.Resident, r.pages.rss))
	}
	return list
}
