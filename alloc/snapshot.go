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

// SnapshotIn is Snapshot in scratch memory, which must be freed after it is used. Its samples are not in Samples: EachPacked
// yields them, or Unpack puts them there. Without memory it is Snapshot.
func (r *Recording) SnapshotIn(memory *scratch.Memory) (*Snapshot, error) {
	return r.snapshot(memory, func(read *reader) []record { return read.samples(settled) })
}

// snapshot settles the tables and takes the samples that list makes of them.
func (r *Recording) snapshot(memory *scratch.Memory, list func(*reader) []record) (*Snapshot, error) {
	r.Refresh()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, ErrStopped
	}
	read := newReader(r.options.MaxDepth, r.options.Seed, memory)
	r.settle()
	s := &Snapshot{packed: packedSamples{list(read), &read.stacks, &read.labels}, Profile: stack.Profile{
		SampleBytes: r.options.SampleBytes,
		Start:       r.started,
		Time:        time.Now(),
		Losses:      r.lossCounters(),
	}}
	for _, l := range cutBytes(&read.stacks, s.packed.records) {
		if l.Count > 0 {
			s.Losses = append(s.Losses, l)
		}
	}
	s.Modules = append(s.Modules, r.loaded.all...)
	if len(r.loaded.current) > 0 {
		s.Main = r.loaded.current[0].Module
	}
	r.place(&read.stacks)
	read.stacks.seal()
	if memory == nil {
		s.Unpack()
		s.packed = packedSamples{}
	}
	return s, nil
}

// place gives frames in objects their modules, and frames that had no module when they were taken the only module that ever
// covered their address. If there were several, it cannot be known which it was. Code that was in no file then is none of
// the files that came later.
func (r *Recording) place(s *stacks) {
	for i := range s.frames {
		f := &s.frames[i]
		id := f.Module()
		if id >= cgo.FirstObject {
			id = r.loaded.met[id]
		}
		if id == 0 && !f.noFile {
			if m := r.loaded.only(mappings.RuntimeAddr(f.Address())); m != nil {
				id = m.ID
			}
		}
		f.Frame = stack.NewFrame(id, f.Address())
	}
}
