package cgoheap

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/reach"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

func takeUnreachable(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
	return looked(r, s, reach.Options{Reach: true}, func(f *reach.Findings) (*alloc.Snapshot, error) {
		return f.Unreachable(r, s.memory, s.View.olderThan)
	})
}

func takePinned(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
	return looked(r, s, reach.Options{Pinned: true}, func(f *reach.Findings) (*alloc.Snapshot, error) {
		return f.Pinned(r, s.memory)
	})
}

func takeHeld(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
	return takeUnreachable(r, s)
}

// looked has a copy of the process look, and takes the snapshot of what it found.
func looked(r *alloc.Recording, s *Selection, o reach.Options, take func(*reach.Findings) (*alloc.Snapshot, error)) (*alloc.Snapshot, error) {
	var blocks scratch.Memory
	defer blocks.Free()
	o.Kernel, o.Collected = running, s.View.collect
	f, err := reach.Look(r, &blocks, o)
	if err != nil {
		return nil, err
	}
	defer f.Free()
	snapshot, err := take(f)
	if err != nil {
		return nil, err
	}
	snapshot.Notes = append(snapshot.Notes, lookedComment(f))

	return snapshot, nil
}

func lookedComment(f *reach.Findings) string {
	return fmt.Sprintf("found by a copy of the process, for which it stood still for %v; the copy looked at %s in %v, %v of processor time, and took %s of memory",
		f.Report.Pause.Round(10*time.Microsecond), report.Bytes(int64(f.Report.Scanned)), f.Report.Took.Round(time.Millisecond), f.Report.Busy.Round(time.Millisecond), report.Bytes(int64(f.Report.Own)))
}
