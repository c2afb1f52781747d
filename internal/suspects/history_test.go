package suspects

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

// What is kept by moments gives the same growth and the same variance as all sampled blocks, one by one; also after moments
// were forgotten.
func TestMomentsKeepWhatBlocksTell(t *testing.T) {
	for _, minutes := range []float64{3, 7, 12, 40, 70} {
		r := rand.New(rand.NewPCG(uint64(minutes), 5))
		blocks := sampled(r, together(leaking(mib, 50_000), churning(8*mib, 50_000, 3), breathing(8*mib, 50_000, 16*mib, 5))(r, minutes))
		h := watch(blocks, 0, minutes, nil)
		one := h.tracks[0]
		n := len(h.moments) - 1
		c := h.slope(0)
		var growth, variance float64
		for _, b := range blocks {
			var there float64
			for i, m := range h.moments {
				if b.Born < m.ticks && b.died > m.ticks {
					there += c[i]
				}
			}
			growth += b.Bytes * there
			variance += b.Variance * there * there
		}
		got := h.Trends(simTick)[0]
		if v, _ := one.variance(&c, n); math.Abs(got.Growth/growth-1) > 1e-6 || math.Abs(v/variance-1) > 1e-3 {
			t.Errorf("%v minutes: growth %g of %g, variance %g of %g", minutes, got.Growth, growth, v, variance)
		}
		if span := got.Time.Sub(got.Since).Minutes(); span < min(minutes, 55)-2.5 {
			t.Errorf("of %v minutes, the last %.0f are kept", minutes, span)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	if size := unsafe.Sizeof(track{}) * mostStacks; size > 1400<<10 {
		t.Errorf("it may take %d bytes", size)
	}
	h := newHistory()
	for moment := range uint64(60) {
		now := (moment + 1) * 1000
		h.Add(simStart.Add(time.Duration(now)*simTick), now, func(see func(*Block)) {
			for stack := range uint64(mostNew + 1000) {
				see(&Block{Stack: stack, Born: moment * 1000, Bytes: float64(1 + stack%1000)})
			}
			for range moment { // leaks, and has little at first
				see(&Block{Stack: 1 << 40, Born: 1, Bytes: 400})
			}
		})
		if len(h.tracks) > mostStacks || len(h.moments) > mostMoments {
			t.Fatal(len(h.tracks), len(h.moments))
		}
	}
	if h.tracks[999] == nil || h.tracks[1<<40] == nil {
		t.Error("the largest, or the one that grows, is not kept")
	}
}

// A stack that was left out while there were too many must not seem to have come into being when it is kept.
func TestWhatWasLeftOutIsUnknownBefore(t *testing.T) {
	h := newHistory()
	for moment := range uint64(12) {
		now := (moment + 1) * 1000
		h.Add(simStart.Add(time.Duration(now)*simTick), now, func(see func(*Block)) {
			for stack := range uint64(mostStacks + 10) {
				bytes := 1000.0
				if stack == 5 {
					bytes = 10
				}
				if stack == 5 && moment > 5 {
					bytes = 5000
				}
				see(&Block{Stack: stack, Born: 1, Bytes: bytes})
			}
		})
	}
	if one := h.tracks[5]; one == nil || one.from != 6 {
		t.Fatalf("%+v", one)
	}
	for _, v := range judge(h.Trends(simTick), nil) {
		if v.Growth != 0 || v.Class != Steady {
			t.Error(about(&v))
		}
	}
}

// Where there are too many stacks, one that grows stays before one that has more and does not.
func TestAStackThatGrowsStaysBeforeALargerOne(t *testing.T) {
	const small = 1 << 40
	h := newHistory()
	for moment := range uint64(31) {
		now := (moment + 1) * 1000
		h.Add(simStart.Add(time.Duration(now)*simTick), now, func(see func(*Block)) {
			steady := uint64(mostStacks - 1)
			if moment == 30 {
				steady++ // too many
			}
			for stack := range steady {
				see(&Block{Stack: stack, Born: 1, Bytes: 100_000})
			}
			for n := range moment + 1 {
				see(&Block{Stack: small, Born: n*1000 + 1, Bytes: 1000})
			}
		})
	}
	if len(h.tracks) != mostStacks || h.tracks[small] == nil {
		t.Errorf("of %d stacks, the one that grows is not kept", len(h.tracks))
	}
}

// Half of what is put into a queue goes three moments later. What was there before anybody looked says nothing of that, whether it
// stays or goes.
func TestWhatWasThereBeforeIsNotInTheShareThatIsFreed(t *testing.T) {
	freed := func(stock float64, goes uint64) float64 {
		h := newHistory()
		for moment := range uint64(10) {
			now := (moment + 1) * 1000
			h.Add(simStart.Add(time.Duration(now)*simTick), now, func(see func(*Block)) {
				if moment < goes {
					see(&Block{Stack: 1, Born: 1, Bytes: stock})
				}
				for n := uint64(1); n <= moment; n++ {
					see(&Block{Stack: 1, Born: n*1000 + 1, Bytes: 1000})
					if moment-n < lasting {
						see(&Block{Stack: 1, Born: n*1000 + 1, Bytes: 1000})
					}
				}
			})
		}
		return h.Trends(simTick)[0].Freed
	}
	alone := freed(0, 0)
	if alone < 0.3 || alone > 0.5 {
		t.Errorf("%v of what lasts is freed", alone)
	}
	for _, goes := range []uint64{5, 100} {
		if got := freed(1e6, goes); math.Abs(got-alone) > 1e-3 {
			t.Errorf("with a stock that is there at %d moments, %v of what lasts is freed, want %v", goes, got, alone)
		}
	}
}

// A leak of very many small blocks is no less than they are: a sum of float32 would stand still at 2 GiB.
func TestManySmallBlocksAreAllCounted(t *testing.T) {
	const large, blocks = 2 << 30, 1 << 20
	h := newHistory()
	for ticks := range uint64(2) {
		h.Add(simStart.Add(time.Duration(ticks)*time.Minute), 10+ticks, func(see func(*Block)) {
			see(&Block{Stack: 1, Born: 5, Bytes: large, Blocks: 1})
			for range blocks {
				see(&Block{Stack: 1, Born: 5, Bytes: 100, Blocks: 1})
			}
		})
	}
	if got := h.Trends(simTick)[0]; got.Bytes != large+100*blocks || got.alive[0] != large+100*blocks {
		t.Errorf("%.0f bytes, by the moment %.0f", got.Bytes, got.alive[0])
	}
}
