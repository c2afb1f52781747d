//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Peak is what was in use at the moment, since Start or the last ResetPeak, when most was; nothing in it counts as
// allocated. Blocks that were being allocated or freed at that moment are on either side of it. The time of the moment is
// in the Snapshot's Peak. ErrStopped after Stop.
func (r *Recording) Peak() (*Snapshot, error) { return r.PeakIn(nil) }

// PeakIn is Peak in memory, as SnapshotIn is Snapshot.
func (r *Recording) PeakIn(memory *scratch.Memory) (*Snapshot, error) {
	var missed stack.Loss
	var when time.Time
	s, err := r.snapshot(memory, func(read *reader) []record {
		cgo.HoldPeak()
		defer cgo.ReleasePeak()
		when = r.peakTime()
		missed = missedPeak()
		return read.samples(atPeak)
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
	return r.started.Add(time.Duration(load64(cgo.HeaderPeakClock) - load64(cgo.HeaderClock)))
}

func missedPeak() stack.Loss {
	l := stack.Loss{Name: "peak_missed", Sentence: "a higher moment passed while an earlier peak was being read"}
	if n := cgo.MissedPeak(); n > 0 {
		l.Count = 1
		l.Sentence += fmt.Sprintf(": %d bytes were in use then", n)
	}
	return l
}

// atPeak is what a site had in use at the peak that is held.
func atPeak(site uint64) flow {
	return flow{inUse: measured(site, func(m uint64) amount { return signed(load64(flowAt(site, m) + uint64(cgo.FlowPeak))) })}
}

// ResetPeak forgets the peak: what is in use now is the highest so far. ErrStopped after Stop.
func (r *Recording) ResetPeak() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return ErrStopped
	}
	cgo.ResetPeak()
	return nil
}

// InUse is what a Snapshot's total would be at one moment during the call, but for blocks that are being allocated or freed
// just then. It reads no tables, and takes microseconds; a thread that is stopped in the midst of counting for a second
// makes it a rougher estimate. 0 after Stop.
func (r *Recording) InUse() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0
	}
	return amount{low: cgo.InUse()}.rounded(4, 1<<3)
}
