//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Snapshot returns the state of one moment during the call, and errStopped after Stop.
func (r *Recording) Snapshot() (*Snapshot, error) { return r.SnapshotIn(nil) }

// SnapshotIn is Snapshot in scratch memory, which must be freed after use. Its samples are not in Samples: EachPacked yields
// them, or Unpack puts them there. If memory is nil, it is Snapshot.
func (r *Recording) SnapshotIn(memory *scratch.Memory) (*Snapshot, error) {
	return r.snapshot(memory, (*tables.Reader).Settled)
}

// SnapshotOf is Snapshot of the samples with wanted IDs, of blocks in memory of devices too.
func (r *Recording) SnapshotOf(wanted func(id uint64) bool) (*Snapshot, error) {
	return r.snapshot(nil, func(t *tables.Reader) *tables.Samples {
		t.Of = tables.All
		return t.SettledOf(wanted)
	})
}

// DeviceIn is SnapshotIn of the blocks in memory of devices, which no other snapshot has, but for SnapshotOf. Its SampleBytes is 1 if all of them
// were recorded, as the hooks of a driver do.
func (r *Recording) DeviceIn(memory *scratch.Memory) (*Snapshot, error) {
	var sampled bool
	s, err := r.snapshot(memory, func(t *tables.Reader) *tables.Samples {
		t.Of = tables.Device
		sampled = region().Load64(layout.HeaderDeviceSampled) != 0
		return t.Settled()
	})
	if err == nil && !sampled {
		s.SampleBytes = 1
	}
	return s, err
}

// snapshot settles the tables and takes the samples that list reads from them.
func (r *Recording) snapshot(memory *scratch.Memory, list func(*tables.Reader) *tables.Samples) (*Snapshot, error) {
	r.look()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.whole(); err != nil {
		return nil, err
	}
	read := r.reader(memory)
	r.settle()
	s := &Snapshot{packed: list(read), Profile: stack.Profile{
		SampleBytes: r.options.SampleBytes,
		Start:       r.started,
		Time:        time.Now(),
		Losses:      r.lossCounters(),
	}}
	for _, l := range s.packed.Cut() {
		if l.Count > 0 {
			s.Losses = append(s.Losses, l)
		}
	}
	s.Modules = append(s.Modules, r.loaded.all...)
	if len(r.loaded.current) > 0 {
		s.Main = r.loaded.current[0].Module
	}
	s.packed.Resolve(r.withModule)
	s.packed.Seal()
	if memory == nil {
		s.Unpack()
	}
	if err := r.whole(); err != nil {
		return nil, err
	}
	return s, nil
}

// withModule returns a frame in an object with its module. It also sets the module of a frame that had none when it was taken,
// if only one module ever covered its address. If there were several, it cannot know which it was. Code that was in no
// file then does not belong to a file that came later.
func (r *Recording) withModule(f stack.Frame, noFile bool) stack.Frame {
	id := f.Module()
	if id >= layout.FirstObject {
		id = r.loaded.objects[id]
	}
	if id == 0 && !noFile {
		if m := r.loaded.only(mappings.RuntimeAddr(f.Address())); m != nil {
			id = m.ID
		}
	}
	return stack.NewFrame(id, f.Address())
}

// AgesIn returns what is in use and at least as old as oldest, with a sample for each stack and class of age: the label
// "age" is the least age of the class, in seconds. Blocks freed while the call reads the table of live blocks are not in it,
// and neither are those allocated in the last moment before it, about 20 ms, which is as exact as ages are measured, nor are
// blocks whose free was lost. errStopped after Stop. The samples lie in memory, as SnapshotIn's.
func (r *Recording) AgesIn(memory *scratch.Memory, oldest time.Duration) (*Snapshot, error) {
	return r.snapshot(memory, func(read *tables.Reader) *tables.Samples { return read.OfAge(oldest) })
}

// Lifetimes are what ShortLivedIn can be asked for: blocks are counted by how long they lived in these classes, not one by
// one.
func Lifetimes() []time.Duration { return tables.Lifetimes() }

// ShortLivedIn returns what was allocated since Start and freed within a time, which must be one of Lifetimes; nothing in it
// is in use. Times are measured to about 30 ms. The samples lie in memory, as SnapshotIn's do. After Stop it returns
// errStopped.
func (r *Recording) ShortLivedIn(memory *scratch.Memory, within time.Duration) (*Snapshot, error) {
	classes := slices.Index(Lifetimes(), within) + 1
	return r.snapshot(memory, func(read *tables.Reader) *tables.Samples { return read.FreedWithin(classes) })
}

// PeakIn returns what was in use at the moment since Start or the last ResetPeak when most was; nothing in it counts as
// allocated. Blocks that were being allocated or freed at that moment may be in it or not. The Snapshot's Peak is the time
// of the moment. The samples lie in memory, as SnapshotIn's do. After Stop it returns errStopped.
func (r *Recording) PeakIn(memory *scratch.Memory) (*Snapshot, error) {
	var missed stack.Loss
	var when time.Time
	s, err := r.snapshot(memory, func(read *tables.Reader) *tables.Samples {
		cgo.HoldPeak()
		defer cgo.ReleasePeak()
		when = r.peakTime()
		missed = missedPeak()
		return read.AtPeak()
	})
	if err != nil {
		return nil, err
	}
	s.Peak = when
	if missed.Count > 0 {
		s.Losses = append(s.Losses, missed)
	}
	return s, nil
}

func (r *Recording) peakTime() time.Time {
	return r.started.Add(time.Duration(region().Load64(layout.HeaderPeakClock) - region().Load64(layout.HeaderClock)))
}

func missedPeak() stack.Loss {
	l := stack.Loss{Name: "peak_missed", Sentence: "a higher moment passed while an earlier peak was being read"}
	if n := cgo.MissedPeak(); n > 0 {
		l.Count = 1
		l.Sentence += fmt.Sprintf(": %d bytes were in use then", n)
	}
	return l
}

// ResetPeak forgets the peak: the memory in use now becomes the peak. After Stop it returns errStopped.
func (r *Recording) ResetPeak() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return errStopped
	}
	cgo.ResetPeak()
	return nil
}

// DeviceInUse returns how many bytes of devices' memory are in use, as InUse does.
func (r *Recording) DeviceInUse() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0
	}
	return max(0, int64(region().Load64(layout.HeaderDeviceInUse))>>4) // a free may be counted before its allocation
}

// MallocInUse returns InUse without host memory that is pinned for devices, which malloc has not.
func (r *Recording) MallocInUse() int64 {
	all := r.InUse()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0
	}
	return max(0, all-max(0, int64(region().Load64(layout.HeaderPinnedInUse))>>4)) // the two are not of one moment
}

// InUse returns what the total of a Snapshot would be at one moment during the call, except for blocks that are being
// allocated or freed just then. It reads no tables and takes microseconds. If a thread is stopped for a second in the middle
// of counting, the estimate is rougher. InUse returns 0 after Stop.
func (r *Recording) InUse() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0
	}
	return tables.Amount{Low: cgo.InUse()}.Rounded(4, 1<<3)
}
