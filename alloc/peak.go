//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/stack"
)

// Peak is what was in use at the moment, since Start or the last ResetPeak, when most was; nothing in it counts as
// allocated. Blocks that were being allocated or freed at that moment are on either side of it. The time of the moment is
// in the Snapshot's Peak. ErrStopped after Stop.
func (r *Recording) Peak() (*Snapshot, error) {
	var missed stack.Loss
	var when time.Time
	s, err := r.snapshot(func(read *reader) []stack.Sample {
		held := cgo.HoldPeak()
		defer cgo.ReleasePeak()
		when = r.peakTime()
		missed = missedPeak(held)
		return read.samples(peakValues)
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

func missedPeak(held bool) stack.Loss {
	l := stack.Loss{Name: "peak_missed", Sentence: "a higher moment passed while an earlier peak was being read"}
	if n := cgo.MissedPeak(); n > 0 {
		l.Count = 1
		l.Sentence += fmt.Sprintf(": %d bytes were in use then", n)
	}
	if !held {
		l.Count = 1
		l.Sentence = "a thread was stopped while recording, so the peak is mixed with later moments"
	}
	return l
}

// peakValues are what a site had in use at the peak that is held. Where all blocks have one size, their number tells the
// bytes, which a block that was under way may have torn from it.
func peakValues(site uint64) (v stack.Values) {
	w := loadWeight(site + uint64(cgo.SitePeak))
	if int64(w.objects) < 0 || int64(w.bytes) < 0 {
		return v
	}
	if allocated, _ := tally(site); load64(site+uint64(cgo.SiteSize)) != cgo.SiteMixed && allocated.objects != 0 {
		w.bytes = proportion(w.objects, allocated)
	}
	v.InuseObjects, v.InuseBytes = w.rounded()
	return v
}

// proportion is the bytes of so many objects of a site whose blocks all weigh the same.
func proportion(objects uint64, all weight) uint64 {
	high, low := bits.Mul64(objects, all.bytes)
	if high >= all.objects {
		return 0
	}
	bytes, _ := bits.Div64(high, low, all.objects)
	return bytes
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

// InUse is an estimate of the bytes in use now, read from one counter: it costs nothing, and differs from a Snapshot's
// total by what is under way. 0 after Stop.
func (r *Recording) InUse() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0
	}
	return max(0, rounded(load64(cgo.HeaderInUse), 4))
}
