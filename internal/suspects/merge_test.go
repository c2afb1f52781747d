package suspects

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A list grows steadily, and after seven minutes a compiler replaces the code that does it. Each stack alone was a step, or has
// begun just now; together they grow. What is said of both is what is said of one stack that has all blocks.
func TestStacksOfReplacedCodeAreOne(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	blocks := leaking(20*mib, 64<<10)(r, 14)
	one := judge(watch(sampled(rand.New(rand.NewPCG(9, 9)), blocks), 0, 14, nil).Trends(simTick), nil)[0]
	for i := range blocks {
		if blocks[i].born > ticksAt(7) {
			blocks[i].stack = 1
		}
	}
	two := judge(watch(sampled(rand.New(rand.NewPCG(9, 9)), blocks), 0, 14, nil).Trends(simTick), func(stack uint64) (Finding, bool) {
		return Finding{Unreachable: 0.5, Holder: Holder{Name: "global list"}}, stack == 0
	})
	for _, v := range two {
		if v.Class == Grows {
			t.Errorf("alone: %s", about(&v))
		}
	}
	apart := Merge(two, func(*Verdict) string { return "" })
	together := Merge(two, func(*Verdict) string { return "push" })
	if len(apart) != 2 || len(together) != 1 {
		t.Fatalf("%d and %d", len(apart), len(together))
	}
	got := together[0]
	if got.Class != Leak || got.Finding.Unreachable != 0.5 || got.Finding.Name != "global list" {
		t.Error(about(&got), got.Finding)
	}
	got.Finding = nil
	if got.Class = got.class(); about(&got)[len("stack 0"):] != about(&one)[len("stack 0"):] {
		t.Errorf("%s, want %s", about(&got), about(&one))
	}
	if now := Merge(two[:1], func(*Verdict) string { return "push" })[0]; about(&now) != about(&two[0]) {
		t.Error("what was merged has changed what it was made of")
	}
}

// A little of which the pointers are hidden does not acquit a leak with the same lines.
func TestHiddenPointersOfOneStackSayNothingOfAnother(t *testing.T) {
	grows := func(bytes float64, f Finding) Verdict {
		v := Verdict{Trend: risingStack(1.2, 0.2, 0), Finding: &f}
		v.Bytes, v.Moments = bytes, 31
		for i := range v.Moments {
			v.Series = append(v.Series, Moment{Time: v.Since.Add(time.Duration(i) * 80 * time.Second), Bytes: bytes * float64(i) / 30})
		}
		v.Class = v.class()
		return v
	}
	large, small := grows(100*mib, Finding{Unreachable: 1}), grows(1*mib, Finding{Unreachable: 1, Freed: true})
	for _, order := range [][]Verdict{{large, small}, {small, large}} {
		got := Merge(order, func(*Verdict) string { return "push" })
		if len(got) != 1 || got[0].Class != Leak || got[0].Finding.Freed || got[0].Finding.Unreachable < 0.98 || got[0].Finding.Unreachable > 0.995 {
			t.Errorf("%+v", got[0].Finding)
		}
	}
	if got := Merge([]Verdict{small, small}, func(*Verdict) string { return "push" }); got[0].Class == Leak || !got[0].Finding.Freed {
		t.Errorf("%+v", got[0].Finding)
	}
}
