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
	Holder
	When time.Time // when that was
}

// Holder is what points to most of the bytes that something points to. The zero value is one that is not known.
type Holder struct {
	Name string // what does so first, such as "global fifo", or "a block allocated in push"
	Root string // where that is a block: what the chain of pointers begins in
}

// findings returns what is known of a stack; false if nothing is. It may be nil.
type findings func(stack uint64) (Finding, bool)

// Found sums up what was found of a stack's blocks. The zero value has none.
type Found struct {
	lost, held estimate
	by         map[int]float64 // bytes by the number of the holder
}

// estimate is of bytes.
type estimate struct{ bytes, variance float64 }

func (e *estimate) add(b *Block) {
	e.bytes += b.Bytes
	e.variance += b.Variance
}

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

// finding returns what that means. holder names what has a number.
func (f *Found) finding(when time.Time, holder func(number int) Holder) Finding {
	made := Finding{When: when}
	made.Unreachable, made.Error = f.share()
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
