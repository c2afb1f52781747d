package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func TestLimits(t *testing.T) {
	a := inUse(t, map[string][2]int64{"grows": {10, 100 << 10}, "shrinks": {2, 300 << 10}}, nil)
	b := inUse(t, map[string][2]int64{"grows": {13, 120 << 10}, "shrinks": {1, 300 << 10}}, nil)
	for limit, c := range map[string]struct {
		code int
		says string
	}{
		"in use > 5%":                {exitGood, "kept      in use > 5%: 400 KiB, then 420 KiB, +20 KiB (+5.0 %)\n"},
		"in use > 4.9%":              {exitFaulty, "EXCEEDED  in use > 4.9%: 400 KiB, then 420 KiB, +20 KiB (+5.0 %)\n"},
		"in use > 4% + 4KiB":         {exitGood, "kept      in use > 4% + 4KiB: "},
		"in use > 4% + 4095":         {exitFaulty, "EXCEEDED  in use > 4% + 4095: "},
		"blocks in use > 0% + 1000":  {exitGood, "kept      blocks in use > 0% + 1000: "},
		"in use > 20 KiB":            {exitGood, "kept      in use > 20 KiB: "},
		"in use > 20479":             {exitFaulty, "EXCEEDED  in use > 20479: "},
		"in use of grows > 19.9%":    {exitFaulty, "100 KiB, then 120 KiB, +20 KiB (+20.0 %)\n"},
		"In Use > 5%":                {exitGood, "kept      In Use > 5%: 400 KiB, then 420 KiB, +20 KiB (+5.0 %)\n"},
		"in use of shrinks > 0":      {exitGood, "300 KiB, then 300 KiB, unchanged\n"},
		"blocks in use > 1":          {exitFaulty, "12, then 14, +2 (+16.7 %)\n"},
		"blocks in use of grows > 3": {exitGood, "10, then 13, +3 (+30.0 %)\n"},
	} {
		if code, out, trouble := ranWith(t, "", "diff", "-fail", limit, a, b); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit code %d, %q, got\n%s", limit, code, trouble, out)
		}
	}
	if code, out, _ := ranWith(t, "", "diff", "-fail", "in use > 50%", "-fail", "blocks in use > 1", a, b); code != exitFaulty ||
		!strings.Contains(out, "inuse_objects of ") || !strings.Contains(out, "kept      in use") || !strings.Contains(out, "EXCEEDED  blocks") {
		t.Errorf("exit code %d, the exceeded limit's lines are not shown:\n%s", code, out)
	}
	code, out, _ := ranWith(t, "", "diff", "-json", "-fail", "in use > 1%", a, b)
	var d difference
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitFaulty || len(d.Limits) != 1 || !d.Limits[0].Exceeded || d.Limits[0].Change != 20<<10 {
		t.Errorf("exit code %d, %v, %+v", code, err, d.Limits)
	}
}

func TestWrongLimitsAreRefused(t *testing.T) {
	a := inUse(t, map[string][2]int64{"f": {1, 1}}, nil)
	for limit, says := range map[string]string{
		"in use":              "it must be a measure, > and how much it may grow",
		"memory > 5%":         `"memory" must be in use, blocks in use, allocated, allocations or peak`,
		"in use > 5x":         "it must be a number of bytes",
		"in use > 5% +":       "it must be a number of bytes",
		"in use > -1%":        "must be a number of percent that is not negative",
		"in use > NaN%":       "must be a number of percent that is not negative",
		"blocks in use > 1.5": "must be a number of blocks, or of percent",
		"in use of > 1%":      "there is no function behind of",
		"allocated > 1%":      "needs the sample type alloc_space",
		"in use of g > 1%":    "no stack of either profile has the function g: most is in f\n",
		"in use of x.F > 1%":  "no stack of either profile has the function x.F: such names are f\n",
		"peak > 1%":           "the peak is in profiles of the view peak only: cgoheap run -view peak writes one",
	} {
		if code, _, trouble := ranWith(t, "", "diff", "-fail", limit, a, a); code != exitUnreadable || !strings.Contains(trouble, says) {
			t.Errorf("%s: exit code %d, %q", limit, code, trouble)
		}
	}
	peak := inUse(t, map[string][2]int64{"f": {1, 1}}, func(p *profile.Profile) {
		p.Comments = []string{"cgoheap: native memory in use at the highest moment, recorded since 2026-01-02 03:04:05 UTC"}
	})
	for _, limit := range []string{"in use > 1%", "blocks in use > 1"} {
		if code, _, trouble := ranWith(t, "", "diff", "-fail", limit, peak, peak); code != exitUnreadable || !strings.Contains(trouble, "it must be 'peak > …'") {
			t.Errorf("%s: exit code %d, %q", limit, code, trouble)
		}
	}
	if code, out, trouble := ranWith(t, "", "diff", "-fail", "peak > 1%", peak, peak); code != exitGood || !strings.Contains(out, "kept      peak > 1%") {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
	change := inUse(t, map[string][2]int64{"f": {1, 1}}, func(p *profile.Profile) {
		p.Comments = []string{differenceComment}
	})
	if code, _, trouble := ranWith(t, "", "diff", "-fail", "in use > 1%", change, change); code != exitUnreadable || !strings.Contains(trouble, "that are no differences") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	if code, _, trouble := ranWith(t, "", "diff", "-json", "-markdown", a, a); code != exitUnreadable || !strings.Contains(trouble, "two ways") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

// A comment names a function of a library with the Go function that called it.
func TestALimitIsOnWhatACommentNames(t *testing.T) {
	file := func(bytes int64) string {
		return inUse(t, map[string][2]int64{"work": {1, bytes}, "example.com/leak.Work": {0, 0}, "other": {1, 1 << 20}}, func(p *profile.Profile) {
			at := func(name string) int {
				return slices.IndexFunc(p.Location, func(l *profile.Location) bool { return l.Line[0].Function.Name == name })
			}
			p.Location[at("example.com/leak.Work")].Line[0].Function.Filename = "work.go"
			p.Sample[at("work")].Location = append(p.Sample[at("work")].Location, p.Location[at("example.com/leak.Work")])
		})
	}
	a, b := file(1<<10), file(2<<10)
	const name = "work, from example.com/leak.Work"
	if _, out, trouble := ranWith(t, "", "diff", "-markdown", a, b); !strings.Contains(out, "<code>"+name+"</code>") {
		t.Fatal(out, trouble)
	}
	for _, name := range []string{name, "work", "example.com/leak.Work"} {
		code, out, trouble := ranWith(t, "", "diff", "-fail", "in use of "+name+" > 1%", a, b)
		if code != exitFaulty || !strings.Contains(out, "1 KiB, then 2 KiB, +1 KiB (+100.0 %)\n") {
			t.Errorf("%s: exit code %d, %s, %q", name, code, out, trouble)
		}
	}
}

func TestACommentForAPullRequest(t *testing.T) {
	a := inUse(t, map[string][2]int64{"main.f": {1, 1 << 20}}, nil)
	b := inUse(t, map[string][2]int64{"main.f": {1, 2 << 20}, "std::map<int|char>`": {1, 4 << 10}}, nil)
	code, out, trouble := ranWith(t, "", "diff", "-markdown", "-fail", "in use > 5%", "-fail", "blocks in use > 1", a, b)
	want := `### Native memory: 1 of 2 limits exceeded

| | limit | before | after | change | may be sampling |
|---|---|---:|---:|---:|---:|
| **exceeded** | in use &gt; 5% | 1 MiB | 2 MiB | +1 MiB (+100.4 %) | nothing |
| kept | blocks in use &gt; 1 | 1 | 2 | +1 (+100.0 %) | nothing |

What grew most in ` + "`inuse_space`" + `, with the stack that grew most:

<details><summary>+1 MiB <code>main.f</code></summary>

<pre>main.f</pre>

</details>

<details><summary>+4 KiB <code>std::map&lt;int&#124;char&gt;&#96;</code></summary>

<pre>std::map&lt;int|char&gt;` + "`" + `</pre>

</details>
`
	if code != exitFaulty || out != want {
		t.Errorf("exit code %d, %q, got\n%s\nwant\n%s", code, trouble, out, want)
	}
	if code, out, trouble := ranWith(t, "", "diff", "-markdown", "-fail", "in use > 101%", a, b); code != exitGood || strings.Contains(out, "rew") ||
		!strings.HasSuffix(out, "| kept | in use &gt; 101% | 1 MiB | 2 MiB | +1 MiB (+100.4 %) | nothing |\n") {
		t.Errorf("a comment on limits that are kept names functions: exit code %d, %q, got\n%s", code, trouble, out)
	}
}

// What a limit is not on grows as it may: other functions, and Go's own heap.
func TestACommentNamesOnlyWhatTheLimitIsOn(t *testing.T) {
	file := func(times int64) string {
		return inUse(t, map[string][2]int64{"guilty": {1, times << 10}, "innocent": {1, times << 20}, "goes": {1, times << 21}},
			ofHeaps("in use, and allocated since 2026-11-25 10:00:00 UTC, every allocation"))
	}
	a, b := file(1), file(2)
	for limit, innocent := range map[string][]string{"in use of guilty > 0": {"innocent", "goes"}, "in use > 0": {"goes"}} {
		code, out, trouble := ranWith(t, "", "diff", "-markdown", "-fail", limit, a, b)
		if code != exitFaulty || !strings.Contains(out, "<summary>+1 KiB <code>guilty</code>") {
			t.Errorf("%s: exit code %d, %s, %q", limit, code, out, trouble)
		}
		for _, name := range innocent {
			if strings.Contains(out, name) {
				t.Errorf("%s: %s is in %s", limit, name, out)
			}
		}
	}
}

// population is the memory of a program in use: so many blocks of each size.
type population map[int64]int

// sampled returns a profile of the program as sampling sees it.
func (p population) sampled(r *rand.Rand, interval int64) *profile.Profile {
	made := &profile.Profile{Period: interval, SampleType: []*profile.ValueType{{Type: "inuse_objects"}, {Type: "inuse_space"}}}
	for _, size := range slices.Sorted(maps.Keys(p)) { // in one order, so that a seed says what is drawn
		blocks := p[size]
		chance := -math.Expm1(-float64(size+1) / float64(interval))
		recorded := 0
		for at := skip(r, chance); at < blocks; at += 1 + skip(r, chance) {
			recorded++
		}
		if recorded > 0 {
			objects := float64(recorded) / chance
			made.Sample = append(made.Sample, &profile.Sample{Value: []int64{int64(math.Round(objects)), int64(math.Round(objects * float64(size)))}})
		}
	}
	return made
}

// skip returns how many blocks are not recorded before the next that is.
func skip(r *rand.Rand, chance float64) int {
	if chance >= 1 {
		return 0
	}
	return int(min(math.Floor(math.Log(1-r.Float64())/math.Log1p(-chance)), math.MaxInt32))
}

var populations = map[string]population{
	"small blocks":                  {64: 1_000_000, 200: 300_000},
	"one block":                     {100 << 10: 1},
	"one that is rarely missed":     {2400 << 10: 1},
	"some that are rarely missed":   {2400 << 10: 12},
	"blocks of the interval's size": {512 << 10: 20},
	"one that is never missed":      {1 << 30: 1, 64: 10_000},
	"all sizes":                     {16: 100_000, 1000: 10_000, 64 << 10: 300, 1 << 20: 40, 3 << 20: 5, 8 << 20: 3},
	"few":                           {48 << 10: 11},
}

// grown is a population with as many times more blocks.
func (p population) grown(times int) population {
	more := make(population, len(p))
	for size, blocks := range p {
		more[size] = times * blocks
	}
	return more
}

// At most one command in 10,000 may raise a false alarm. Each population is compared 20,000 times, with itself, and with one that has
// grown by as much as the limit allows.
func TestChanceAloneExceedsNoLimit(t *testing.T) {
	const rounds, interval = 20_000, 512 << 10
	for about, p := range populations {
		r := rand.New(rand.NewPCG(1, 2))
		alarms := map[string]int{}
		n := rounds
		if testing.Short() {
			n = 500
		}
		for range n {
			a, b, grown := p.sampled(r, interval), p.sampled(r, interval), p.grown(4).sampled(r, interval)
			for about, command := range map[string]struct {
				limits []string
				later  *profile.Profile
			}{
				"unchanged": {[]string{"in use > 0%", "blocks in use > 0%", "in use > 5%"}, b},
				"grown":     {[]string{"in use > 300%", "blocks in use > 300%"}, grown},
			} {
				var given limits
				for _, text := range command.limits {
					if err := given.Set(text); err != nil {
						t.Fatal(err)
					}
				}
				verdicts, err := given.judge(a, command.later)
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(verdicts, func(v verdict) bool { return v.Exceeded }) {
					alarms[about]++
				}
			}
		}
		for text, count := range alarms {
			if float64(count) > falseAlarms*float64(n) {
				t.Errorf("%s, %s: %d false alarms of %d", about, text, count, n)
			}
		}
	}
}

// A block that is missed so rarely that a single limit takes it for certain raises a false alarm when it is missed. If each of many limits
// took its own block so, one of them would be missed too often.
func TestLimitsShareTheChanceOfAFalseAlarm(t *testing.T) {
	const interval, count = 512 << 10, 40
	const missed = 0.45 * falseAlarms / 10 // in one of two profiles
	size := int64(-math.Log(missed) * interval)
	values := make(map[string][2]int64)
	var given limits
	for i := range count {
		values[fmt.Sprint("f", i)] = [2]int64{1, size}
		if err := given.Set(fmt.Sprintf("in use of f%d > 0", i)); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := (&source{}).ofFile(inUse(t, values, func(p *profile.Profile) { p.Period = interval }))
	if err != nil {
		t.Fatal(err)
	}
	p := taken.Profile
	if one, err := given[:1].judge(p, p); err != nil || one[0].Chance >= float64(size) {
		t.Fatalf("%v: a single limit does not take the block for certain: %+v", err, one)
	}
	all, err := given.judge(p, p)
	if err != nil {
		t.Fatal(err)
	}
	alarms := 0.0
	for _, v := range all {
		if v.Chance < float64(size) {
			alarms += missed
		}
	}
	if alarms > falseAlarms {
		t.Errorf("the command raises a false alarm with a chance of %.2g", alarms)
	}
}

func TestGrowthIsFoundInSpiteOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	before, after := population{64: 4_000_000, 1 << 30: 1}, population{64: 8_000_000, 1 << 30: 1}
	l, err := parseLimit("in use > 2%")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if v, err := l.judge(before.sampled(r, 512<<10), after.sampled(r, 512<<10), falseAlarms); err != nil || !v.Exceeded {
			t.Errorf("%v: %+v", err, v)
		}
	}
}
