package suspects

import (
	"cmp"
	"slices"
	"time"
)

// Block is a sampled block that is live.
type Block struct {
	Stack    uint64  // identifies its stack; as OnDevice, with its device
	Site     uint64  // identifies one sample of that stack in profiles
	Born     uint64  // when it was allocated, in ticks
	Bytes    float64 // what it stands for
	Blocks   float64
	Variance float64 // of Bytes: see tables.Block.Variance
}

const (
	mostMoments = 32
	mostStacks  = 256
	mostNew     = 16 << 10 // stacks that a moment considers beside those that are kept
	memory      = time.Hour
	shortest    = memory / mostMoments / 8 // the time between two moments at first: 14 s
)

// moment is when the live blocks were read.
type moment struct {
	ticks uint64 // blocks born earlier count
	time  time.Time
}

// History is what is kept of each stack. It is used by one goroutine at a time.
type History struct {
	moments []moment
	tracks  map[uint64]*track
	every   time.Duration // between two moments
	cut     bool          // stacks were left out
}

// newHistory returns one without moments.
func newHistory() *History { return &History{tracks: make(map[uint64]*track), every: shortest} }

// Every returns the time until the next moment is due.
func (h *History) Every() time.Duration { return h.every }

// track is what is kept of one stack. All its lists have an entry for each moment.
type track struct {
	stack, site uint64
	from        int // the first moment at which it was followed; before, it counts as unknown
	bytes       [mostMoments]float64
	blocks      float64 // now
	born        float64 // mean of its bytes, in ticks
	single      float64 // the largest variance of one block

	// Sums over blocks that were there from a moment (the first index) to another, and are not any more.
	ended cells
	live  [mostMoments]sum      // over live blocks, by the first moment at which they were there
	now   [mostMoments]estimate // the next live, while a moment is taken: of so many blocks that float32 would lose some
}

type sum struct{ bytes, variance float32 }

// cells has a sum for each pair of a moment and a later one, or the same.
type cells [mostMoments * (mostMoments + 1) / 2]sum

func (c *cells) at(first, last int) *sum { return &c[last*(last+1)/2+first] }

func (s *sum) add(bytes, variance float64) {
	s.bytes += float32(bytes)
	s.variance += float32(variance)
}

func (s *sum) plus(o sum) { s.add(float64(o.bytes), float64(o.variance)) }

// Add takes a moment: each calls its argument for each live block, and may be called twice. Ticks is the time in ticks from
// which on blocks do not count.
func (h *History) Add(now time.Time, ticks uint64, each func(func(*Block))) {
	if len(h.moments) == mostMoments {
		h.thin()
	}
	n := len(h.moments)
	h.moments = append(h.moments, moment{ticks, now})
	unknown := newcomers{list: make(map[uint64]*newcomer)}
	for _, t := range h.tracks {
		t.begin()
	}
	each(func(b *Block) {
		if b.Born >= ticks {
			return
		}
		if t := h.tracks[b.Stack]; t != nil {
			t.add(b, max(t.from, h.firstOf(b.Born)), n)
		} else {
			unknown.meet(b)
		}
	})
	for key, t := range h.tracks {
		if t.end(n); t.empty(n) {
			delete(h.tracks, key)
		}
	}
	h.choose(&unknown, n)
	if unknown.dropped {
		unknown.recount(ticks, each)
	}
	h.admit(unknown.list, n)
}

// firstOf returns the first moment at which a block was there.
func (h *History) firstOf(born uint64) int {
	i, _ := slices.BinarySearchFunc(h.moments, born, func(m moment, born uint64) int {
		if m.ticks <= born {
			return -1
		}
		return 1
	})
	return i
}

// newcomer is a stack that is not kept yet. All its blocks were there first now, as far as is known.
type newcomer struct {
	site                               uint64
	bytes, blocks, born, all, variance float64
}

// newcomers are the stacks that a moment considers beside those that are kept.
type newcomers struct {
	list    map[uint64]*newcomer
	dropped bool // blocks of some may be missing
}

func (u *newcomers) meet(b *Block) {
	one := u.list[b.Stack]
	if one == nil {
		if len(u.list) == mostNew {
			u.drop()
		}
		one = &newcomer{site: b.Site}
		u.list[b.Stack] = one
	}
	one.add(b)
}

// drop drops the half with the fewest bytes so far: what has many is met again and again.
func (u *newcomers) drop() {
	weights := make(map[uint64]float64, len(u.list))
	for key, one := range u.list {
		weights[key] = one.bytes
	}
	for _, key := range beyond(weights, mostNew/2) {
		delete(u.list, key)
	}
	u.dropped = true
}

// recount counts all blocks of the stacks that were chosen.
func (u *newcomers) recount(ticks uint64, each func(func(*Block))) {
	for _, one := range u.list {
		*one = newcomer{site: one.site}
	}
	each(func(b *Block) {
		if one := u.list[b.Stack]; one != nil && b.Born < ticks {
			one.add(b)
		}
	})
}

func (one *newcomer) add(b *Block) {
	one.bytes += b.Bytes
	one.blocks += b.Blocks
	one.born += b.Bytes * float64(b.Born)
	one.all += b.Variance
	one.variance = max(one.variance, b.Variance)
}

// choose leaves only the stacks that matter most.
func (h *History) choose(unknown *newcomers, n int) {
	h.cut = h.cut || unknown.dropped
	weights := make(map[uint64]float64, len(unknown.list)+len(h.tracks))
	for key, one := range unknown.list {
		weights[key] = one.bytes
	}
	for key, t := range h.tracks {
		weights[key] = max(t.bytes[n], growthCounts*(t.bytes[n]-t.bytes[t.from]))
	}
	for _, key := range beyond(weights, mostStacks) {
		h.cut = true
		delete(h.tracks, key)
		delete(unknown.list, key)
	}
}

// admit keeps the stacks that were chosen.
func (h *History) admit(unknown map[uint64]*newcomer, n int) {
	for key, one := range unknown {
		t := &track{stack: key, site: one.site, blocks: one.blocks, single: one.variance, born: one.born / max(1, one.bytes)}
		if h.cut { // it may have been there before
			t.from = n
		}
		t.bytes[n] = one.bytes
		t.live[n].add(one.bytes, one.all)
		h.tracks[key] = t
	}
}

// growthCounts is how many times as much as a byte in use a byte counts that a stack has grown by, when there are too many.
const growthCounts = 8

// beyond returns the keys without those of the most greatest weights.
func beyond(weights map[uint64]float64, most int) []uint64 {
	if len(weights) <= most {
		return nil
	}
	keys := make([]uint64, 0, len(weights))
	for key := range weights {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b uint64) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) })
	return keys[most:]
}

func (t *track) begin() { t.now, t.blocks, t.born = [mostMoments]estimate{}, 0, 0 }

func (t *track) add(b *Block, first, n int) {
	t.now[first].add(b)
	t.bytes[n] += b.Bytes
	t.blocks += b.Blocks
	t.born += b.Bytes * float64(b.Born)
	t.single = max(t.single, b.Variance)
}

// end enters what was freed since the last moment. A sum is in floating point, so what is left of one that ended may be just
// not 0.
func (t *track) end(n int) {
	t.born /= max(1, t.bytes[n])
	for first := range n {
		before, now := t.live[first], t.now[first].sum()
		if freed := (sum{before.bytes - now.bytes, before.variance - now.variance}); freed.bytes > before.bytes/1e5 {
			freed.variance = max(0, freed.variance)
			t.ended.at(first, n-1).plus(freed)
		}
	}
	for first := range t.live {
		t.live[first] = t.now[first].sum()
	}
}

func (t *track) empty(n int) bool { return t.blocks == 0 && slices.Max(t.bytes[:n+1]) == 0 }

// thin forgets every second moment, or the oldest if they reach back far enough. The newest stays.
func (h *History) thin() {
	if h.moments[len(h.moments)-1].time.Sub(h.moments[0].time) >= memory*9/10 {
		h.forget(0)
		return
	}
	for i := len(h.moments) - 2; i >= 0; i -= 2 {
		h.forget(i)
	}
	h.every *= 2
}

// forget forgets a moment. A block that was there first at that moment was there first at the next; one that was there last, at
// the one before. One that was there only then was never there.
func (h *History) forget(k int) {
	n := len(h.moments)
	h.moments = slices.Delete(h.moments, k, k+1)
	for _, t := range h.tracks {
		t.forget(k, n)
	}
}

func (t *track) forget(k, n int) {
	copy(t.bytes[k:], t.bytes[k+1:])
	t.bytes[n-1] = 0
	var ended cells
	var live [mostMoments]sum
	for first := range n {
		to := first
		if first > k {
			to--
		}
		live[to].plus(t.live[first])
		for last := first; last < n; last++ {
			end := last
			if last >= k {
				end--
			}
			if end >= to {
				ended.at(to, end).plus(*t.ended.at(first, last))
			}
		}
	}
	t.ended, t.live = ended, live
	if t.from > k {
		t.from--
	}
}
