package suspects

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Finding is what somebody who looked for pointers knows of a stack's blocks.
type Finding struct {
	Unreachable float64 // share of the bytes that nothing points to
	Error       float64 // half of its 95 % interval
	Doubt       float64 // share of the bytes that few words hold which may be numbers that look like pointers
	Open        float64 // share of those of which it is not known whether they are lost
	OpenError   float64 // half of its 95 % interval
	OpenIn      string  // where the addresses of these lie: see Holder.Open
	Unread      int64   // bytes that could not be looked at
	Holder
	When  time.Time // when that was
	Freed bool      // blocks that nothing was found to point to were freed later: their pointers are hidden

	lost float64 // bytes that nothing was found to point to
}

// few reports whether too few blocks were seen: the error is as large as half of the share.
func (f *Finding) few() bool { return f.Error > 0 && f.Error >= f.Unreachable/2 }

// Holder is what points to most of the bytes that something points to. The zero value is one that is not known.
type Holder struct {
	Name string // what does so first, such as "global fifo", or "a block allocated in push"
	Root string // where that is a block: what the chain of pointers begins in
	Note string // a clause of what else is known of the root: "which never runs"; "" if nothing is
	Open string // what the addresses lie in, if that does not tell whether a block is lost; "" if it does
}

// InSmallest is the number of a holder that is one of the smallest objects of Go's.
const InSmallest = -1

// smallest are objects of up to 16 bytes without pointers, several of which Go has in one place.
var smallest = Holder{Name: SmallestOfGo, Open: SmallestOfGo + ", which Go keeps as long as any other in the same 16 bytes is kept"}

// PoolOf returns what a holder is called that is a block which a function cuts into smaller ones.
func PoolOf(function string) Holder {
	return Holder{Name: "a block that " + function + " cuts into smaller ones", Open: "blocks that `" + function + "` cuts into smaller ones"}
}

// SmallestOfGo is what a holder is called that is one of these.
const SmallestOfGo = "Go's smallest objects"

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
	doubted    float64 // bytes of held
	unread     int64
	by         map[int]estimate // of held, by the number of the holder
}

// estimate is of bytes.
type estimate struct{ bytes, variance float64 }

func (e *estimate) add(b *Block) {
	e.bytes += b.Bytes
	e.variance += b.Variance
}

func (e *estimate) plus(o estimate) {
	e.bytes += o.bytes
	e.variance += o.variance
}

func (e *estimate) sum() sum { return sum{float32(e.bytes), float32(e.variance)} }

// Lost adds a block that nothing points to.
func (f *Found) Lost(b *Block) { f.lost.add(b) }

// Held adds a block that something points to, by a number: InSmallest, or one that Search.Learn is told the name of.
func (f *Found) Held(b *Block, holder int) {
	f.held.add(b)
	if f.by == nil {
		f.by = make(map[int]estimate)
	}
	by := f.by[holder]
	by.add(b)
	f.by[holder] = by
}

// Doubted says how many of the bytes that something points to few words hold which may be numbers.
func (f *Found) Doubted(bytes float64) { f.doubted = bytes }

// Unread says how many bytes could not be looked at.
func (f *Found) Unread(bytes int64) { f.unread = bytes }

// finding returns what that means. holder names what has a number.
func (f *Found) finding(when time.Time, holder func(number int) Holder) Finding {
	made := Finding{When: when, lost: f.lost.bytes, Unread: f.unread} // one address there may lead to all blocks of a list
	made.Unreachable, made.Error = f.share()
	if all := f.lost.bytes + f.held.bytes; all > 0 {
		made.Doubt = f.doubted / all
	}
	numbers := slices.SortedStableFunc(slices.Values(slices.Sorted(maps.Keys(f.by))), func(a, b int) int { return cmp.Compare(f.by[b].bytes, f.by[a].bytes) })
	open, rest := estimate{}, f.lost
	var in []string
	for _, number := range numbers {
		h := smallest
		if number != InSmallest {
			h = holder(number)
		}
		if made.Name == "" || made.Holder.Open != "" && h.Open == "" { // of those that tell whether a block is lost, if there are any
			made.Holder = h
		}
		if h.Open == "" {
			rest.plus(f.by[number])
			continue
		}
		if open.plus(f.by[number]); !slices.Contains(in, h.Open) {
			in = append(in, h.Open)
		}
	}
	made.Open, made.OpenError = shareOf(&open, &rest)
	made.OpenIn = strings.Join(in, ", or ")
	return made
}

// share returns the share of the bytes that is lost, and half of its 95 % interval.
func (f *Found) share() (share, half float64) { return shareOf(&f.lost, &f.held) }

// shareOf returns the share that a part has of itself and the rest, and half of its 95 % interval. A share R = U/(U+H) of two independent estimates
// has the variance ((1−R)²·var U + R²·var H)/(U+H)². Where few blocks were sampled, or all of one kind, that is too low; so the interval
// is as wide as Wilson's for that many samples of equal weight, and reaches as far to each side as his does to the farther one.
func shareOf(part, rest *estimate) (share, half float64) {
	all := part.bytes + rest.bytes
	if all == 0 {
		return 0, 0
	}
	share = part.bytes / all
	few := deviations * deviations * (part.variance + rest.variance) / (all * all) // z²/n
	variance := ((1-share)*(1-share)*part.variance + share*share*rest.variance) / (all * all)
	off := math.Abs(share-0.5) * few // of Wilson's centre
	half = (off + deviations*math.Sqrt(variance+few*few/4/(deviations*deviations))) / (1 + few)
	return share, half
}
