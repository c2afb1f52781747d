//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Snapshot is the state of one moment during the call. ErrStopped after Stop.
func (r *Recording) Snapshot() (*Snapshot, error) { return r.SnapshotIn(nil) }

// SnapshotIn is Snapshot with the frames of all stacks in scratch memory: they must not be used once it is freed.
func (r *Recording) SnapshotIn(memory *scratch.Memory) (*Snapshot, error) {
	return r.snapshotIn(memory, func(read *reader) []stack.Sample { return read.samples(settled) })
}

// snapshot settles the tables and takes the samples that list makes of them.
func (r *Recording) snapshot(list func(*reader) []stack.Sample) (*Snapshot, error) {
	return r.snapshotIn(nil, list)
}

func (r *Recording) snapshotIn(memory *scratch.Memory, list func(*reader) []stack.Sample) (*Snapshot, error) {
	r.Refresh()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, ErrStopped
	}
	read := newReader(r.options.MaxDepth, r.options.Seed)
	read.memory = memory
	r.settle()
	s := &Snapshot{Profile: stack.Profile{
		Samples:     list(read),
		SampleBytes: r.options.SampleBytes,
		Start:       r.started,
		Time:        time.Now(),
		Losses:      r.lossCounters(),
	}}
	for _, l := range cutBytes(read, s.Samples) {
		if l.Count > 0 {
			s.Losses = append(s.Losses, l)
		}
	}
	s.Modules = append(s.Modules, r.loaded.all...)
	if len(r.loaded.current) > 0 {
		s.Main = r.loaded.current[0].Module
	}
	r.place(read)
	return s, nil
}

// place gives frames in objects their modules, and frames that had no module when they were taken the only module that ever
// covered their address. If there were several, it cannot be known which it was. Code that was in no file then is none of
// the files that came later.
func (r *Recording) place(read *reader) {
	for _, unrolled := range read.stacks {
		noFile := unrolled.end == cgo.EndNoFile
		for i, f := range unrolled.frames {
			id := f.Module()
			if id >= cgo.FirstObject {
				id = r.loaded.met[id]
			}
			if id == 0 && !noFile {
				if m := r.loaded.only(mappings.RuntimeAddr(f.Address())); m != nil {
					id = m.ID
				}
			}
			unrolled.frames[i] = stack.NewFrame(id, f.Address())
		}
	}
}
