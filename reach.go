package cgoheap

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/reach"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/twin"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func takeUnreachable(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
	return looked(r, s, reach.Options{Reach: true}, func(f *reach.Findings) (*alloc.Snapshot, error) {
		if err := s.learn(f, nil); err != nil {
			return nil, err
		}
		return f.Unreachable(r, s.memory, s.View.olderThan)
	})
}

func takePinned(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
	return looked(r, s, reach.Options{Pinned: true}, func(f *reach.Findings) (*alloc.Snapshot, error) {
		return f.Pinned(r, s.memory)
	})
}

// registerHolds is how long a register may be all that holds a block.
const registerHolds = time.Second

// takeHeld names what holds each block, and makes that the root of the samples' stacks.
func takeHeld(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
	return looked(r, s, reach.Options{Reach: true, Named: true}, func(f *reach.Findings) (*alloc.Snapshot, error) {
		named, err := nameHolders(r, s.memory, s.names, f)
		if err == nil {
			err = s.learn(f, named)
		}
		if err != nil {
			return nil, err
		}
		snapshot, err := f.Held(r, s.memory, func(i int) int { return int(named.Of[i]) })
		if err != nil {
			return nil, err
		}
		snapshot.Unpack()
		var list []stack.Sample
		for held := range named.Samples(each(snapshot.Samples), alloc.ClassOf) {
			one := *held
			one.Frames = slices.Clone(held.Frames)
			list = append(list, one)
		}
		snapshot.Samples, s.held = list, named.Holders
		return snapshot, nil
	})
}

func each(list []stack.Sample) iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

func nameHolders(r *alloc.Recording, memory *scratch.Memory, names *symbolize.Symbolizer, f *reach.Findings) (*holders.Named, error) {
	snapshot, err := f.Held(r, memory, func(int) int { return 0 })
	if err != nil {
		return nil, err
	}
	snapshot.Unpack()
	frames := make(map[uint32][]stack.Frame, len(snapshot.Samples))
	for i := range snapshot.Samples {
		frames[uint32(snapshot.Samples[i].ID)] = snapshot.Samples[i].Frames
	}
	mapped, err := r.Mappings(func() error { return nil })
	if err != nil {
		mapped = nil // such memory is named as the kernel lists it
	}
	return holders.Name(&holders.Process{
		Kernel: running, Modules: r.Present(), Main: snapshot.Main, Names: names, Threads: r.Threads(), Mapped: mapped, Module: snapshot.Module,
		GoData: f.GoData, InGoHeap: f.InGoHeap, Waiting: holders.Goroutines,
	}, &holders.Blocks{
		Count: f.Blocks.Len(),
		Found: func(i int) holders.Found { return heldAs(f, i) },
		Bytes: func(i int) uint64 {
			_, size := f.Blocks.At(i)
			return size
		},
		Stack:  f.Blocks.Site,
		Frames: func(site uint32) []stack.Frame { return frames[site] },
	}, memory), nil
}

func heldAs(f *reach.Findings, i int) holders.Found {
	found := *f.Found(i)
	if found.Root&^twin.RootInGo == twin.RootCycle && (f.Swept == 0 || f.Blocks.Younger(i, f.Swept)) {
		found.Root = twin.RootFinalizer | twin.RootInGo // a number may look like the way back: it is none once collections have passed
	}
	return holders.Found{
		NotLooked: found.Holder == 0 && (!f.Lost(i) || f.Blocks.Younger(i, registerHolds)),
		Holder:    found.Holder, Through: found.Through, Root: holders.Root(found.Root &^ (twin.RootInGo | twin.RootSmallest)),
		InGo: found.Root&twin.RootInGo != 0, RootWord: found.RootWord, Entry: found.Goroutine, InSmallest: f.InSmallest(i),
	}
}

// looked has a copy of the process look, and takes the snapshot of what it found.
func looked(r *alloc.Recording, s *request, o reach.Options, take func(*reach.Findings) (*alloc.Snapshot, error)) (*alloc.Snapshot, error) {
	var blocks scratch.Memory
	defer blocks.Free()
	o.Kernel, o.Collected, o.Ended = running, s.View.collect, s.ended
	f, err := reach.Look(r, &blocks, o)
	if err != nil {
		return nil, err
	}
	snapshot, err := take(f)
	if err != nil {
		return nil, err
	}
	snapshot.Notes = append(snapshot.Notes, lookedComments(f)...)
	return snapshot, nil
}

func lookedComments(f *reach.Findings) []string {
	c := &f.Report
	scanned, pointers := "", c.Scanned > 0 // for pinned memory, none are looked for
	if pointers {
		scanned = "looked at were " + report.Bytes(int64(c.Scanned)) + " in "
	}
	notes := []string{fmt.Sprintf("found by %s of the process, for which it stood still for %v; %s%v, %v of processor time, and %s of memory taken; "+
		"the process wrote to at most %s meanwhile", copies(c.Copies), c.Pause.Round(10*time.Microsecond), scanned,
		c.Took.Round(time.Millisecond), c.Busy.Round(time.Millisecond), report.Bytes(int64(c.Own)), report.Bytes(c.Copied))}
	if c.Ran > 0 && pointers {
		notes = append(notes, fmt.Sprintf("%d other threads ran then: a block that only a register of one of them holds counts as unreachable", c.Ran))
	}
	if pointers {
		notes = append(notes, unreadComments(f)...)
	}
	if f.Doubted >= leastDoubted {
		notes = append(notes, fmt.Sprintf("of the blocks that count as held, words hold %s that may be numbers, as malloc's heap lies below 4 GiB: "+
			"so much may be lost, too (not so in a position-independent program)", report.Bytes(int64(f.Doubted))))
	}
	if c.PinnedBytes > 0 {
		notes = append(notes, fmt.Sprintf("all blocks in use pin %s, those that were recorded, each for itself only, %s", report.Bytes(int64(c.PinnedBytes)),
			report.Bytes(int64(c.PinnedRecorded))))
	}
	for _, what := range f.Unknown {
		notes = append(notes, "what holds pointers was not told apart in "+what)
	}
	return notes
}

// leastDoubted is how many bytes that numbers may hold are worth a word.
const leastDoubted = 64 << 10

// unreadComments say what was not looked at of the program's memory.
func unreadComments(f *reach.Findings) (notes []string) {
	for _, u := range []struct {
		bytes int64
		what  string
	}{
		{f.Report.Unread.Kept, "that the program keeps from copies (MADV_DONTFORK, MADV_WIPEONFORK)"},
		{f.Report.Unread.Denied, "that may not be read (PROT_NONE, memfd_secret)"},
		{f.Report.Unread.Devices, "of devices"},
	} {
		if u.bytes > 0 {
			notes = append(notes, fmt.Sprintf("not looked at were %s %s: a block that only a word there points to counts as unreachable",
				report.Bytes(u.bytes), u.what))
		}
	}
	return notes
}

func copies(n int) string {
	if n == 1 {
		return "a copy"
	}
	return fmt.Sprintf("%d copies", n)
}
