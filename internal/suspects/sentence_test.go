package suspects

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func inMiB(value, half float64) string {
	if half == 0 {
		return fmt.Sprintf("%.1f MiB", value/mib)
	}
	return fmt.Sprintf("%.1f ± %.1f MiB", value/mib, half/mib)
}

// rising is a stack that rises steadily for 40 minutes.
func risingStack(growth, half, freed float64) Trend {
	return Trend{Stack: 1, Since: simStart, Time: simStart.Add(40 * time.Minute), Moments: 20, Bytes: 50 * mib, BytesError: 4 * mib,
		Growth: growth * mib, GrowthError: half * mib, Freed: freed, steady: 0.98, steps: [3]float64{1, 1.1, 0.9}}
}

func TestSentences(t *testing.T) {
	names := Names{Function: "format_user", File: "lib.c", Line: 15, Caller: "main.login"}
	const subject = "`format_user` (lib.c:15), called from main.login: "
	still := risingStack(0, 0.3, 0.9)
	kept := still
	kept.Freed = 0
	first := Trend{Since: simStart, Time: simStart, Moments: 1, Bytes: mib}
	little := still
	little.Bytes, little.BytesError, little.GrowthError = 5, 0, 0
	once := risingStack(1.2, 0.2, 0)
	once.still = simStart.Add(9 * time.Minute)
	batch := still
	batch.Series, batch.course = []Moment{{simStart, 0}, {simStart.Add(9 * time.Minute), 80 * mib}, {batch.Time, batch.Bytes}}, course{peak: 1, rose: true, wavers: true, fell: true}
	again := batch
	again.peak = 2
	gave := batch
	gave.rose, gave.Freed, gave.BytesError = false, 0, 0
	open := still
	open.GrowthError = 2 * mib
	soon := still
	soon.Time = simStart.Add(50 * time.Second)
	gone := still
	gone.Bytes, gone.BytesError = 0, 0
	late := risingStack(1.2, 0.2, 0.1)
	late.Time = simStart.Add(4 * time.Minute)
	twice := late
	twice.Series = []Moment{{simStart, mib}, {late.Time, 10 * mib}}
	for _, c := range []struct {
		trend   Trend
		finding *Finding
		class   Class
		want    string
	}{
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 0.98}, Leak,
			"grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 98 %: a leak, or its pointers are hidden"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 0.38, Error: 0.15, Holder: Holder{Name: "global sessions"}}, Leak,
			"grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 38 ± 15 %, the rest reachable from global `sessions`: a leak, or its pointers are hidden; what " +
				"still seems reachable may be lost, too, because an old pointer looks like one in use"},
		{soon, &Finding{Holder: Holder{Name: "global fifo"}}, Steady,
			"50.0 ± 4.0 MiB in use, reachable from global `fifo`: after 50s it is too early to tell whether it grows"},
		{soon, nil, Steady, "50.0 ± 4.0 MiB in use: after 50s it is too early to tell whether it grows"},
		{gone, &Finding{Holder: Holder{Name: "global fifo"}}, Steady, "nothing in use any more"},
		{risingStack(1.2, 0.2, 0), nil, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, steadily for 40 min, and hardly any " +
			"is freed: it is not known whether anything still points to it"},
		{risingStack(1.2, 0.2, 0), &Finding{Holder: Holder{Name: "global fifo"}}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, reachable " +
			"from global `fifo`, and hardly any is freed: a cache, list or pool without a bound, or one that still fills"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 0.18, Error: 0.23, Holder: Holder{Name: "global sessions"}}, Grows,
			"grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 18 ± 23 %, the rest reachable from global `sessions`, and hardly any " +
				"is freed: a leak, or a cache, list or pool without a bound, or one that still fills: when pointers were looked for, at 00:00 UTC, too few blocks " +
				"were seen to tell"},
		{risingStack(1.2, 0.2, 0.6), nil, Queue, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, steadily for 40 min, though 60 % of what " +
			"lasts is freed: a queue or cache that fills faster than it drains"},
		{late, nil, Unsure, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use; it does not grow steadily, or not for long enough to tell"},
		{once, nil, Steady, "has not grown since 10:11 UTC, 50.0 ± 4.0 MiB in use"},
		{batch, nil, Steady, "comes and goes, most 80.0 MiB in use at 10:11 UTC, 50.0 ± 4.0 MiB in use: a cache or work in progress"},
		{again, nil, Steady, "comes and goes, 50.0 ± 4.0 MiB in use: a cache or work in progress"},
		{gave, nil, Steady, "fell from 80.0 MiB in use at 10:11 UTC, 50.0 MiB in use"},
		{open, nil, Steady, "50.0 ± 4.0 MiB in use, its blocks come and go: a cache or work in progress"},
		{kept, &Finding{Unreachable: 1, Error: 0.64}, Steady, "steady, 50.0 ± 4.0 MiB in use, no pointer found to 100 ± 64 %; too few blocks were seen to tell what is lost"},
		{late, &Finding{Unreachable: 1, Error: 0.5}, Unsure, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 100 ± 50 %; it does not " +
			"grow steadily, or not for long enough to tell; too few blocks were seen to tell what is lost"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 1, Error: 0.64}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 100 ± 64 %, " +
			"and hardly any is freed: a leak, or a cache, list or pool without a bound, or one that still fills: when pointers were looked for, at 00:00 UTC, too few blocks were seen to tell"},
		{still, &Finding{Holder: Holder{Name: "global fifo"}}, Steady,
			"steady, 50.0 ± 4.0 MiB in use, reachable from global `fifo`, its blocks come and go: a cache or work in progress"},
		{kept, &Finding{Holder: Holder{Name: "global fifo"}}, Steady, "steady, 50.0 ± 4.0 MiB in use, reachable from global `fifo`"},
		{still, nil, Steady, "steady, 50.0 ± 4.0 MiB in use, its blocks come and go: a cache or work in progress"},
		{still, &Finding{Unreachable: 0.6, Error: 0.05}, Unheld,
			"steady, 50.0 ± 4.0 MiB in use, no pointer found to 60 ± 5 %: lost, or its pointers are hidden"},
		{late, &Finding{Unreachable: 1}, Unheld, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 100 %: lost, or its " +
			"pointers are hidden; it does not grow steadily, or not for long enough to tell"},
		{once, &Finding{Unreachable: 1}, Unheld, "has not grown since 10:11 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 100 %: lost, or its pointers are hidden"},
		{soon, &Finding{Unreachable: 1}, Unheld, "50.0 ± 4.0 MiB in use, no pointer found to 100 %: lost, or its pointers are hidden; after 50s it is " +
			"too early to tell whether it grows"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 1, Freed: true}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to " +
			"100 %, though such blocks were freed, so pointers to some are hidden: a cache, list or pool without a bound, or one that still fills, or a leak beside those"},
		{first, &Finding{Unreachable: 1}, Unheld, "1.0 MiB in use, seen once, no pointer found to 100 %: lost, or its pointers are hidden"},
		{first, &Finding{Holder: Holder{Name: "global fifo"}}, Steady, "1.0 MiB in use, seen once, reachable from global `fifo`"},
		{little, &Finding{Unreachable: 1}, Steady, "steady, 0.0 MiB in use, no pointer found to 100 %: lost, or its pointers are hidden"},
		{still, &Finding{Unreachable: 0.52, Error: 0.05, Holder: Holder{Name: "Go's heap"}}, Steady,
			"steady, 50.0 ± 4.0 MiB in use, no pointer found to 52 ± 5 %, the rest reachable from Go's heap, its blocks come and go: a cache or work in progress"},
		{still, &Finding{Holder: Holder{Name: "a block allocated in push", Root: "global fifo"}}, Steady,
			"steady, 50.0 ± 4.0 MiB in use, reachable from global `fifo` through a block allocated in `push`, its blocks come and go: a cache or work in progress"},
		{still, &Finding{Doubt: 0.09, Holder: Holder{Name: "global fifo"}}, Steady,
			"steady, 50.0 ± 4.0 MiB in use, reachable from global `fifo`, its blocks come and go: a cache or work in progress"},
		{still, &Finding{Doubt: 0.1, Holder: Holder{Name: "global fifo"}}, Steady, "steady, 50.0 ± 4.0 MiB in use, reachable from global `fifo`, or only from numbers that look like " +
			"pointers, as malloc's heap lies below 4 GiB (not so in a position-independent program), its blocks come and go: a cache or work in progress"},
		{kept, &Finding{Unreachable: 0.3, Doubt: 0.7}, Steady, "steady, 50.0 ± 4.0 MiB in use, no pointer found to 30 %, the rest reachable, or only from numbers that look like " +
			"pointers, as malloc's heap lies below 4 GiB (not so in a position-independent program)"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 0.09, Doubt: 0.91, Holder: Holder{Name: "a block allocated in push", Root: "Go variable main.now" + ThroughGo, Note: "x"}}, Grows,
			"grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 9 %, the rest reachable from Go variable `main.now`, x, through Go's heap and a block " +
				"allocated in `push`, or only from numbers that look like pointers, as malloc's heap lies below 4 GiB (not so in a position-independent program), and hardly any is " +
				"freed: a leak, or a cache, list or pool without a bound, or one that still fills"},
		{kept, &Finding{Holder: Holder{Name: Unknown}}, Steady, "steady, 50.0 ± 4.0 MiB in use, reachable, and it is not known from where"},
		{kept, &Finding{Unreachable: 0.2, Holder: Holder{Name: "a block allocated in event_new", Root: Unknown}}, Steady,
			"steady, 50.0 ± 4.0 MiB in use, no pointer found to 20 %, the rest reachable from a block allocated in `event_new`, and it is not known what leads there"},
		{kept, &Finding{Holder: Holder{Name: "a block allocated in push", Root: "garbage of Go's heap", Note: "which was not collected yet"}}, Steady,
			"steady, 50.0 ± 4.0 MiB in use, reachable from garbage of Go's heap, which was not collected yet, through a block allocated in `push`"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 1, Unread: 32 << 10}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 100 %: a leak, or its addresses " +
			"lie in the 0.0 MiB that could not be looked at"},
		{risingStack(1.2, 0.2, 0.6), &Finding{Unreachable: 0.5, Unread: 32 << 20, Holder: Holder{Name: "global fifo"}}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no " +
			"pointer found to 50 %, the rest reachable from global `fifo`: a leak, or its addresses lie in the 32.0 MiB that could not be looked at; what still seems reachable may be lost, too, " +
			"because an old pointer looks like one in use"},
		{still, &Finding{Unreachable: 0.6, Error: 0.05, Unread: 1 << 20}, Unheld,
			"steady, 50.0 ± 4.0 MiB in use, no pointer found to 60 ± 5 %: lost, or its addresses lie in the 1.0 MiB that could not be looked at"},
		{risingStack(1.2, 0.2, 0), &Finding{Unread: 1 << 20, Holder: Holder{Name: "global fifo"}}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, reachable " +
			"from global `fifo`, and hardly any is freed: a cache, list or pool without a bound, or one that still fills"},
		{risingStack(1.2, 0.2, 0), &Finding{Open: 1, OpenIn: smallest.Open, Holder: smallest}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, its addresses " +
			"lie in Go's smallest objects, which Go keeps as long as any other in the same 16 bytes is kept, so whether it is lost is not known, and hardly any is freed: a leak, or a " +
			"cache, list or pool without a bound, or one that still fills"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 0.07, Error: 0.02, Open: 0.63, OpenError: 0.04, OpenIn: smallest.Open, Holder: Holder{Name: "global fifo"}}, Grows,
			"grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 7 ± 2 %, the addresses of 63 ± 4 % lie in Go's smallest objects, which Go keeps as long as " +
				"any other in the same 16 bytes is kept, so whether those are lost is not known, the rest reachable from global `fifo`, and hardly any is freed: a leak, or a cache, list or " +
				"pool without a bound, or one that still fills"},
		{risingStack(1.2, 0.2, 0), &Finding{Open: 0.09, OpenIn: PoolOf("g_slice_alloc").Open}, Grows, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, the addresses of 9 % lie in " +
			"blocks that `g_slice_alloc` cuts into smaller ones, so whether those are lost is not known, the rest reachable, and hardly any is freed: a cache, list or pool without a bound, " +
			"or one that still fills"},
		{risingStack(1.2, 0.2, 0), &Finding{Unreachable: 0.6, Open: 0.4, OpenIn: smallest.Open, Holder: smallest}, Leak, "grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no " +
			"pointer found to 60 %, the addresses of 40 % lie in Go's smallest objects, which Go keeps as long as any other in the same 16 bytes is kept, so whether those are lost is not " +
			"known: a leak, or its pointers are hidden; what still seems reachable may be lost, too, because an old pointer looks like one in use"},
		{still, &Finding{}, Steady, "steady, 50.0 ± 4.0 MiB in use, reachable, its blocks come and go: a cache or work in progress"},
		{first, nil, Steady, "1.0 MiB in use, seen once"},
		{twice, nil, Unsure, "rose by 9.0 MiB since 10:02 UTC, 50.0 ± 4.0 MiB in use; it does not grow steadily, or not for long enough to tell"},
	} {
		v := judge([]Trend{c.trend}, func(uint64) (f Finding, known bool) {
			if c.finding == nil {
				return f, false
			}
			return *c.finding, true
		})[0]
		got := v.Sentence(names, inMiB)
		if v.Class != c.class || got != subject+c.want {
			t.Errorf("%v: %s\nwant %v: %s%s", v.Class, got, c.class, subject, c.want)
		}
		if c.finding == nil && strings.Contains(got, "leak") {
			t.Errorf("without proof: %s", got)
		}
	}
}

// What is cut from a block of a pool is not looked at. So one that is held may have lost ones.
func TestOfAPoolThatIsHeldItIsNotKnownWhatIsLost(t *testing.T) {
	const cut = "; `g_slice_alloc` may cut them into smaller ones, and which of those are lost is not known"
	names := Names{Function: "on_request", Pool: "g_slice_alloc"}
	for _, c := range []struct {
		finding *Finding
		said    bool
	}{
		{&Finding{Holder: Holder{Name: "global live"}}, true},
		{&Finding{Unreachable: 1}, false},
		{nil, false},
	} {
		for _, growth := range []float64{0, 1.2} {
			v := judge([]Trend{risingStack(growth, 0.2, 0)}, func(uint64) (f Finding, known bool) {
				if c.finding != nil {
					f = *c.finding
				}
				return f, c.finding != nil
			})[0]
			if got := v.Sentence(names, inMiB); strings.HasSuffix(got, cut) != c.said {
				t.Error(got)
			}
		}
	}
}

func TestTheMostSuspectComesFirst(t *testing.T) {
	trends := []Trend{risingStack(0, 0.3, 0), risingStack(9, 0.3, 0.6), risingStack(1, 0.3, 0), risingStack(3, 2.4, 0), risingStack(2, 0.3, 0), risingStack(0.9, 0.1, 0)}
	for i := range trends {
		trends[i].Stack = uint64(i)
	}
	var got []uint64
	for _, v := range judge(trends, func(stack uint64) (Finding, bool) { return Finding{Unreachable: 1}, stack == 5 }) {
		got = append(got, v.Stack)
	}
	if want := "[5 4 2 1 3 0]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestMemoryOfADeviceIsSaidToBeSo(t *testing.T) {
	trend := risingStack(1.2, 0.2, 0)
	trend.Stack = OnDevice(7, "GPU 0")
	v := Verdict{Trend: trend, Finding: &Finding{Unreachable: 0.98}}
	v.Class = v.class()
	names := Names{Function: "upload", File: "lib.c", Line: 15, Device: "GPU 0"}
	const rest = "`upload` (lib.c:15): grows 1.2 ± 0.2 MiB/min since 10:02 UTC, 50.0 ± 4.0 MiB in use, no pointer found to 98 %: a leak, or its pointers are hidden"
	if got, want := v.Sentence(names, inMiB), "device memory (GPU 0) of "+rest; got != want || v.Kind() != Device {
		t.Errorf("%v: %s\nwant %s", v.Kind(), got, want)
	}
	names.Pool = "c10::cuda::CUDACachingAllocator::malloc"
	if got, want := v.Sentence(names, inMiB), "segments of a pool in device memory (GPU 0) of "+rest; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if OnDevice(7, "GPU 0") == OnDevice(7, "GPU 1") || OnDevice(7, "GPU 0") == OnDevice(8, "GPU 0") || OnDevice(7, "")&outsideKeys != 0 {
		t.Error("blocks of one stack are not told apart by their device")
	}
}
