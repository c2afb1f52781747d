package suspects

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The share that is found in what was sampled lies within its error of the true share in at least 95 % of the runs. Where there are few
// samples, the interval is wider than that takes.
func TestSharesHaveTheirError(t *testing.T) {
	const runs = 1000
	for _, c := range []struct {
		name               string
		lost, held         int
		lostSize, heldSize float64
		most               float64 // the interval may hold the truth in no more of the runs
	}{
		{"half, of one size", 50_000, 50_000, 4 << 10, 4 << 10, 0.97},
		{"a tenth", 10_000, 90_000, 4 << 10, 4 << 10, 0.985},
		{"lost ones are larger than the interval", 200, 20_000, 600 << 10, 4 << 10, 0.975},
		{"few samples", 1000, 1000, 4 << 10, 4 << 10, 1},
		{"nearly all", 20_000, 400, 4 << 10, 4 << 10, 1},
		{"all", 5000, 0, 4 << 10, 4 << 10, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.lost+c.held > 50_000 {
				t.Skip("long: make test-all runs it")
			}
			truth := float64(c.lost) * c.lostSize
			truth /= truth + float64(c.held)*c.heldSize
			inside, seen := 0, 0
			for run := range uint64(runs) {
				r := rand.New(rand.NewPCG(run, 7))
				var f Found
				for _, b := range sampled(r, blocksOf(c.lost, c.lostSize)) {
					f.Lost(&b.Block)
				}
				for _, b := range sampled(r, blocksOf(c.held, c.heldSize)) {
					f.Held(&b.Block, 0)
				}
				share, half := f.share()
				if f.lost.bytes+f.held.bytes == 0 {
					continue
				}
				if seen++; share-half <= truth && truth <= share+half {
					inside++
				}
			}
			t.Logf("%.1f %% of %d inside", 100*float64(inside)/float64(seen), seen)
			if least := seen * 94 / 100; inside < least || float64(inside) > c.most*float64(seen) {
				t.Errorf("%d of %d inside", inside, seen)
			}
		})
	}
}

var lives = make(map[[2]float64][]life)

func blocksOf(n int, size float64) []life {
	key := [2]float64{float64(n), size}
	if lives[key] == nil {
		list := make([]life, n)
		for i := range list {
			list[i] = life{died: forever, size: size}
		}
		lives[key] = list
	}
	return lives[key]
}

func TestRecordedWholeAShareHasNoError(t *testing.T) {
	var f Found
	f.Lost(&Block{Bytes: 10})
	f.Held(&Block{Bytes: 20}, 3)
	f.Held(&Block{Bytes: 10}, 4)
	got := f.finding(simStart, func(number int) Holder { return Holder{Name: string(rune('a' + number))} })
	if want := (Finding{Unreachable: 0.25, Holder: Holder{Name: "d"}, When: simStart, lost: 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Where memory that could not be looked at has room for all addresses, they may be there.
func TestWhatWasNotLookedAtMayHaveAllAddresses(t *testing.T) {
	for _, c := range []struct {
		block  Block
		unread int64
		want   int64
	}{
		{Block{Bytes: 1000, Blocks: 10}, 4096, 4096}, // of a list, one address is enough
		{Block{Bytes: 1000, Blocks: 10}, 0, 0},
	} {
		var f Found
		f.Lost(&c.block)
		f.Unread(c.unread)
		if got := f.finding(simStart, nil).Unread; got != c.want {
			t.Errorf("%+v and %d bytes: %d, want %d", c.block, c.unread, got, c.want)
		}
	}
	a, b := Verdict{Trend: Trend{Bytes: 100}, Finding: &Finding{Unread: 8}}, Verdict{Trend: Trend{Bytes: 300}, Finding: &Finding{}}
	if a.findingWith(&b).Unread != 0 {
		t.Error("of two stacks, what is true of one is said of both")
	}
}

// What is lost, what may be and what is held are all that there is. The holder is one of the last, if there is any.
func TestSharesAddUp(t *testing.T) {
	names := func(number int) Holder {
		return []Holder{{Name: "global fifo"}, PoolOf("carve"), PoolOf("cut")}[number]
	}
	var f Found
	f.Lost(&Block{Bytes: 10})
	f.Held(&Block{Bytes: 30}, InSmallest)
	f.Held(&Block{Bytes: 15}, 1)
	got := f.finding(simStart, names)
	if got.Unreachable+got.Open < 0.9999 || got.Name != SmallestOfGo || got.OpenIn != smallest.Open+", or "+PoolOf("carve").Open {
		t.Errorf("%+v", got)
	}
	f.Held(&Block{Bytes: 45}, 0)
	if got = f.finding(simStart, names); got.Unreachable != 0.1 || got.Open != 0.45 || got.Name != "global fifo" || got.Holder.Open != "" {
		t.Errorf("%+v", got)
	}
	a, b := Verdict{Trend: Trend{Bytes: 100}, Finding: &got}, Verdict{Trend: Trend{Bytes: 300}, Finding: &Finding{Open: 1, OpenIn: PoolOf("cut").Open, OpenError: 0.1}}
	if both := a.findingWith(&b); both.Unreachable != 0.025 || both.Open != 0.8625 || both.OpenIn != PoolOf("cut").Open || both.OpenError != 0.075 || both.Name != "global fifo" {
		t.Errorf("%+v", both)
	}
}

func TestAFindingMakesALeakOfWhatGrowsForLong(t *testing.T) {
	grows, still := risingStack(1, 0.2, 0), risingStack(0, 0.3, 0.9)
	soon := grows
	soon.Time = simStart.Add(7 * time.Minute)
	for _, c := range []struct {
		trend Trend
		share Finding
		want  Class
	}{
		{grows, Finding{Unreachable: 0.98, Error: 0.05}, Leak},
		{grows, Finding{Unreachable: 0.3, Error: 0.25}, Grows}, // it may be less than a tenth
		{grows, Finding{}, Grows},
		{still, Finding{Unreachable: 0.3, Error: 0.1}, Steady},
		{still, Finding{Unreachable: 0.98, Error: 0.05}, Unheld},
		{soon, Finding{Unreachable: 0.98, Error: 0.05}, Unheld},
	} {
		v := judge([]Trend{c.trend}, func(uint64) (Finding, bool) { return c.share, true })[0]
		if v.Class != c.want {
			t.Errorf("%.2f ± %.2f of %+v: %v, want %v", c.share.Unreachable, c.share.Error, c.trend, v.Class, c.want)
		}
	}
}

func TestSomebodyLooksForPointersWhereAStackGrows(t *testing.T) {
	now := simStart.Add(40 * time.Minute)
	fresh, old := Finding{When: now.Add(-time.Minute)}, Finding{When: now.Add(-11 * time.Minute)}
	for _, c := range []struct {
		trend   Trend
		finding *Finding
		want    bool
	}{{risingStack(1, 0.2, 0), nil, true}, {risingStack(1, 0.2, 0), &fresh, false}, {risingStack(1, 0.2, 0), &old, true}, {risingStack(0, 0.3, 0.9), nil, false}} {
		v := Verdict{Trend: c.trend, Finding: c.finding}
		v.Class = v.class()
		if v.asks(now) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

// Who frees a block knows its address. So where blocks are freed that nothing was found to point to, it is hidden what does: no leak.
func TestWhatIsFreedWasNotLost(t *testing.T) {
	for name, c := range map[string]struct {
		program program
		freed   bool
		want    Class
	}{
		"an XOR list of sessions":    {churning(20*mib, 64<<10, 3), true, Steady},
		"a leak":                     {leaking(20*mib, 64<<10), false, Leak},
		"a leak among what is freed": {together(leaking(20*mib, 64<<10), hot(200*mib, 64<<10, second)), false, Leak},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			var looked *Finding
			var last Verdict
			watch(sampled(r, c.program(r, 14)), 0, 14, func(h *History, now uint64) {
				list := judge(h.Trends(simTick), func(uint64) (f Finding, known bool) {
					if looked != nil {
						f = *looked
					}
					return f, looked != nil
				})
				if len(list) == 0 {
					return
				}
				last = list[0]
				if looked == nil && now > ticksAt(6) {
					looked = &Finding{Unreachable: 1, When: last.Time, lost: last.Bytes}
				}
			})
			if last.Finding.Freed != c.freed || last.Class != c.want {
				t.Errorf("freed: %t, %s", last.Finding.Freed, about(&last))
			}
		})
	}
}
