//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/twin"
)

// Look makes a copy of the process and has it look for what points to the recorded blocks of malloc's in use. memory holds the blocks.
func Look(r *alloc.Recording, memory *scratch.Memory, o Options) (*Findings, error) {
	release, err := twin.Acquire(o.Ended)
	if err != nil {
		return nil, err
	}
	defer release()
	f := new(Findings)
	a := twin.Ask{Reach: o.Reach, Pinned: o.Pinned, Kernel: o.Kernel, Deadline: o.Deadline, Ended: o.Ended, Stacks: r.Stacks}
	if a.Malloc, err = malloc.ForTwin(r.Breaks()...); err != nil {
		if o.Pinned {
			return nil, fmt.Errorf("what blocks pin is known with glibc's malloc only: %w", err)
		}
		f.Unknown = append(f.Unknown, "malloc's heaps, with free blocks and those that were not recorded: "+err.Error())
	}
	layout, err := gospans.Find()
	if layout.Arenas != 0 {
		f.InGoHeap = inArenas(layout)
	}
	if err != nil {
		f.Unknown = append(f.Unknown, "Go's heap, with its garbage: "+err.Error())
	} else {
		a.Go = layout
	}
	f.numbers = numbersIn(r.Present())
	f.GoData = []account.Range{{Start: a.Go.Data[0], Limit: a.Go.Data[1]}, {Start: a.Go.BSS[0], Limit: a.Go.BSS[1]}}
	if o.Named {
		a.Variables = variablesIn(r.Present(), f.GoData, f.numbers)
	}
	if o.Collected {
		runtime.GC()
		runtime.GC() // what finalizers of the first collection have let go
	}
	// The addresses of blocks pass through the stacks of goroutines that have ended when the copy is made, or are about to.
	background.Apart("listing blocks", func() {
		f.Blocks, err = r.BlocksIn(memory)
		scrub()
	})
	if err == nil {
		err = f.look(r, memory, &a)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// inArenas asks a layout once for each arena of Go's heap.
func inArenas(l gospans.Layout) func(address uint64) bool {
	known := make(map[uint64]bool)
	return func(address uint64) bool {
		arena := address / gospans.ArenaBytes
		in, asked := known[arena]
		if !asked {
			in = l.Holds(address)
			known[arena] = in
		}
		return in
	}
}

// scrub overwrites what functions have left that the caller called before.
//
//go:noinline
func scrub() {
	var stack [32 << 10]byte
	clear(stack[:])
	use(&stack)
}

//go:noinline
func use(*[32 << 10]byte) {}

// apartTime lies between two copies, so that what a thread moves during the first is elsewhere during the second.
const apartTime = 50 * time.Millisecond

// look makes a copy, and a second one if the first found lost blocks. The kernel copies one page after the other while other threads
// run, so what they move meanwhile from one page to another may be on neither in the copy. A block is lost if both copies say so.
func (f *Findings) look(r *alloc.Recording, memory *scratch.Memory, a *twin.Ask) error {
	if err := f.once(r, memory, a); err != nil || !a.Reach || !slices.ContainsFunc(f.found, isLost) {
		return err
	}
	first, report := f.found, f.Report
	select {
	case <-time.After(apartTime):
	case <-a.Ended:
	}
	if err := f.once(r, memory, a); err != nil {
		return err
	}
	for i := range f.found {
		if isLost(f.found[i]) && !isLost(first[i]) {
			f.found[i].Holder, f.found[i].RootWord, f.found[i].Goroutine = first[i].Holder, first[i].RootWord, first[i].Goroutine
			f.found[i].Through, f.found[i].Root = first[i].Through, first[i].Root
		}
	}
	f.Report.Copies = 2
	f.Report.Pause = max(f.Report.Pause, report.Pause)
	f.Report.Took += report.Took
	f.Report.Busy += report.Busy
	f.Report.Copied += report.Copied
	f.Report.Scanned += report.Scanned
	return nil
}

// once makes a copy. What it found lies in memory afterwards.
func (f *Findings) once(r *alloc.Recording, memory *scratch.Memory, a *twin.Ask) (err error) {
	stacks := r.Stacks()
	a.StackRoom = len(stacks) + len(stacks)/8 + 64
	found := scratch.Slice[twin.Found](memory, max(f.Blocks.Len(), leastFound))[:f.Blocks.Len()]
	var runtimes []account.Range
	if a.Go != (gospans.Layout{}) {
		runtimes = ofRuntime(cgo.GoPages(), a.Go.Holds) // as late as can be: it grows
	}
	a.Apart = slices.Concat(r.Tables(), f.numbers, runtimes)
	slices.SortFunc(a.Apart, func(x, y account.Range) int { return cmp.Compare(x.Start, y.Start) })
	shared, err := twin.New(a, f.Blocks.Len())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shared.Free()) }()
	background.Apart("listing blocks for a copy", func() {
		for i := range shared.Blocks {
			shared.Blocks[i].At, shared.Blocks[i].Size = f.Blocks.At(i)
		}
		scrub()
	})
	f.Time = time.Now()
	f.Swept = swept(f.Time)
	f.Report, err = twin.Look(shared, a)
	f.Report.Copies = 1
	copy(found, shared.Found)
	f.found = found
	if f.Report.GoUnknown && a.Go != (gospans.Layout{}) {
		f.Unknown = append(f.Unknown, "Go's heap, with its garbage: at that moment it was not as expected")
	}
	if n := f.Report.UnknownHeaps; n > 0 {
		f.Unknown = append(f.Unknown, fmt.Sprintf("%d of malloc's heaps, with free blocks: at that moment their chunks did not follow one another", n))
	}
	return err
}

// swept returns how long ago Go's last collection but one ended: what it had to finalize has been, unless that was kept.
func swept(now time.Time) time.Duration {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	if len(stats.PauseEnd) < 2 {
		return 0
	}
	return now.Sub(stats.PauseEnd[1])
}

// leastFound is how many take enough memory that it is not of Go's heap.
const leastFound = 1 << 10
