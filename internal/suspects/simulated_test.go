package suspects

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A simulated program allocates blocks and frees them. Each is sampled as cgo does it, and what a History makes of the sampled
// ones is compared with all of them.

const (
	interval = 512 << 10
	simTick  = 16 * time.Millisecond
	perMin   = uint64(time.Minute / simTick)
	forever  = math.MaxUint64
)

// life is a block, or count blocks of one fate.
type life struct {
	stack      uint64
	born, died uint64 // in ticks
	size       float64
	chosen     bool // it is one of those that are sampled
}

// program makes the blocks of a time in minutes.
type program func(r *rand.Rand, minutes float64) []life

// arrivals calls each at times with exponential gaps, in minutes.
func arrivals(r *rand.Rand, minutes, perMinute float64, each func(at float64)) {
	for at := r.ExpFloat64() / perMinute; at < minutes; at += r.ExpFloat64() / perMinute {
		each(at)
	}
}

func ticksAt(minutes float64) uint64 { return uint64(minutes * float64(perMin)) }

// together runs programs side by side, in one stack if they name one.
func together(all ...program) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		for _, p := range all {
			list = append(list, p(r, minutes)...)
		}
		return list
	}
}

// in moves the blocks of a program to a stack.
func in(stack uint64, p program) program {
	return func(r *rand.Rand, minutes float64) []life {
		list := p(r, minutes)
		for i := range list {
			list[i].stack = stack
		}
		return list
	}
}

// later begins a program after a time.
func later(start float64, p program) program {
	return func(r *rand.Rand, minutes float64) []life {
		list := p(r, minutes-start)
		for i := range list {
			list[i].born += ticksAt(start)
			if list[i].died != forever {
				list[i].died += ticksAt(start)
			}
		}
		return list
	}
}

// leaking never frees: bytes per minute in blocks of a size.
func leaking(rate, size float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		arrivals(r, minutes, rate/size, func(at float64) { list = append(list, life{born: ticksAt(at), died: forever, size: size}) })
		return list
	}
}

// churning frees each block after an exponential time.
func churning(rate, size, meanMinutes float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		arrivals(r, minutes, rate/size, func(at float64) {
			list = append(list, life{born: ticksAt(at), died: ticksAt(at + meanMinutes*r.ExpFloat64()), size: size})
		})
		return list
	}
}

// grid is the time between two possible moments, in minutes.
const grid = float64(shortest/simTick) / float64(perMin)

// hot is churning with lives so short that a block is there at one moment at most, at rates at which there is no room for all
// of them: only the sampled blocks that are there at a possible moment are made.
func hot(rate, size, meanMinutes float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		p := -math.Expm1(-(size + 1) / interval)
		for at := grid; at < minutes; at += grid {
			arrivals(r, 1, rate/size*p*meanMinutes, func(float64) {
				born, died := at-meanMinutes*r.ExpFloat64(), at+meanMinutes*r.ExpFloat64()
				list = append(list, life{born: ticksAt(max(0, born)), died: ticksAt(died) + 2, size: size, chosen: true})
			})
		}
		return list
	}
}

// stepping allocates bytes at once, at a moment of its own, and keeps them.
func stepping(bytes, size float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		at := ticksAt(minutes * (0.2 + 0.6*r.Float64()))
		for range int(bytes / size) {
			list = append(list, life{born: at, died: forever, size: size})
		}
		return list
	}
}

// breathing is a cache that evicts the oldest: its capacity goes up and down by half, once in a period.
func breathing(rate, size, bytes, period float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		phase, oldest := r.Float64()*2*math.Pi, 0
		arrivals(r, minutes, rate/size, func(at float64) {
			list = append(list, life{born: ticksAt(at), died: forever, size: size})
			for room := bytes * (1 + math.Sin(2*math.Pi*at/period+phase)/2); float64(len(list)-oldest)*size > room; oldest++ {
				list[oldest].died = ticksAt(at)
			}
		})
		return list
	}
}

// filling is a cache that keeps all until it is full, then evicts at random.
func filling(rate, size, bytes float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		var held []int
		arrivals(r, minutes, rate/size, func(at float64) {
			list = append(list, life{born: ticksAt(at), died: forever, size: size})
			held = append(held, len(list)-1)
			if float64(len(held))*size > bytes {
				victim := r.IntN(len(held))
				list[held[victim]].died = ticksAt(at)
				held[victim] = held[len(held)-1]
				held = held[:len(held)-1]
			}
		})
		return list
	}
}

// sampled returns the blocks that are sampled, as they are recorded: by when they were allocated.
func sampled(r *rand.Rand, all []life) (list []recorded) {
	for _, l := range all {
		p := -math.Expm1(-(l.size + 1) / interval)
		if l.chosen || r.Float64() < p {
			list = append(list, recorded{Block{Stack: l.stack, Site: l.stack, Born: l.born, Bytes: l.size / p, Blocks: 1 / p,
				Variance: (1 - p) * (l.size / p) * (l.size / p)}, l.died})
		}
	}
	slices.SortFunc(list, func(a, b recorded) int { return cmp.Compare(a.Born, b.Born) })
	return list
}

type recorded struct {
	Block
	died uint64
}

var simStart = time.Date(2026, 11, 24, 10, 2, 0, 0, time.UTC)

// watch takes moments of a program from a time in minutes to another, as often as the History wants them, and calls see after
// each.
func watch(list []recorded, from, to float64, see func(h *History, now uint64)) *History {
	h := newHistory()
	var live []recorded
	for now := uint64(from/grid) * uint64(shortest/simTick); now <= ticksAt(to); now += uint64(h.Every() / shortest * (shortest / simTick)) {
		for ; len(list) > 0 && list[0].Born < now; list = list[1:] {
			live = append(live, list[0])
		}
		live = slices.DeleteFunc(live, func(b recorded) bool { return b.died <= now })
		h.Add(simStart.Add(time.Duration(now)*simTick), now, func(visit func(*Block)) {
			for i := range live {
				visit(&live[i].Block)
			}
		})
		if see != nil {
			see(h, now)
		}
	}
	return h
}

// truth returns the slope that the moments would show with every block recorded, in bytes per minute.
func truth(h *History, all []life, stack uint64) (slope float64) {
	c := h.slope(0)
	var sums [mostMoments + 1]float64
	for i := range h.moments {
		sums[i+1] = sums[i] + c[i]
	}
	for _, l := range all {
		if l.stack == stack {
			slope += l.size * (sums[h.firstOf(l.died)] - sums[h.firstOf(l.born)])
		}
	}
	return slope
}
