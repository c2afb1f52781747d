package suspects

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// Finding is what somebody who looked for pointers knows of a stack's blocks.
type Finding struct {
	Unreachable float64 // share of the bytes that nothing points to
	Error       float64 // half of its 95 % interval
	Doubt       float64 // share of the bytes that few words hold which may be numbers that look like pointers
	Holder
	When  time.Time // when that was
	Freed bool      // blocks that nothing was found to point to were freed later: their pointers are hidden

	lost float64 // bytes that nothing was found to point to
}

// Holder is what points to most of the bytes that something points to. The zero value is one that is not known.
type Holder struct {
	Name string // what does so first, such as "global fifo", or "a block allocated in push"
	Root string // where that is a block: what the chain of pointers begins in
	Note string // a clause of what else is known of the root: "which never runs"; "" if nothing is
}

// mostLostFreed is the share of what nothing was found to point to that may be freed later: a block whose pointer moved at that moment, say.
const mostLostFreed = 0.1

// freed reports whether more was freed of the blocks that nothing was found to point to. What is in use of the blocks that are older
// than the finding is too little then. Both are sums over the same sampled blocks, so they have no error.
func (f *Finding) freed(t *Trend) bool {
	if f.lost == 0 || !t.Time.After(f.When) {
		return false
	}
	var left float64
	for i, m := range t.Series {
		left += float64(t.alive[i])
		if !m.Time.Before(f.When) {
			break
		}
	}
	return left < (1-mostLostFreed)*f.lost
}

// findings returns what is known of a stack; false if nothing is. It may be nil.
type findings func(stack uint64) (Finding, bool)

// Found sums up what was found of a stack's blocks. The zero value has none.
type Found struct {
	lost, held estimate
	doubted    float64         // bytes of held
	by         map[int]float64 // bytes by the number of the holder
}

// estimate is of bytes.
type estimate struct{ bytes, variance float64 }

func (e *estimate) add(b *Block) {
	e.bytes += b.Bytes
	e.variance += b.Variance
}

func (e *estimate) sum() sum { return sum{float32(e.bytes), float32(e.variance)} }

// Lost adds a block that nothing points to.
func (f *Found) Lost(b *Block) { f.lost.add(b) }

// Held adds a block that something points to, by a number.
func (f *Found) Held(b *Block, holder int) {
	f.held.add(b)
	if f.by == nil {
		f.by = make(map[int]float64)
	}
	f.by[holder] += b.Bytes
}

// Doubted says how many of the bytes that something points to few words hold which may be numbers.
func (f *Found) Doubted(bytes float64) { f.doubted = bytes }

// finding returns what that means. holder names what has a number.
func (f *Found) finding(when time.Time, holder func(number int) Holder) Finding {
	made := Finding{When: when, lost: f.lost.bytes}
	made.Unreachable, made.Error = f.share()
	if all := f.lost.bytes + f.held.bytes; all > 0 {
		made.Doubt = f.doubted / all
	}
	if len(f.by) > 0 {
		made.Holder = holder(slices.MaxFunc(slices.Sorted(maps.Keys(f.by)), func(a, b int) int { return cmp.Compare(f.by[a], f.by[b]) }))
	}
	return made
}

// share returns the share of the bytes that is lost, and half of its 95 % interval. A share R = U/(U+H) of two independent estimates
// has the variance ((1−R)²·var U + R²·var H)/(U+H)². Where few blocks were sampled, or all of one kind, that is too low; so the interval
// is as wide as Wilson's for that many samples of equal weight, and reaches as far to each side as his does to the farther one.
func (f *Found) share() (share, half float64) {
	all := f.lost.bytes + f.held.bytes
	if all == 0 {
		return 0, 0
	}
	share = f.lost.bytes / all
	few := deviations * deviations * (f.lost.variance + f.held.variance) / (all * all) // z²/n
	variance := ((1-share)*(1-share)*f.lost.variance + share*share*f.held.variance) / (all * all)
	off := math.Abs(share-0.5) * few // of Wilson's centre
	half = (off + deviations*math.Sqrt(variance+few*few/4/(deviations*deviations))) / (1 + few)
	return share, half
}
