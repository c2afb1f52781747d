//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

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
