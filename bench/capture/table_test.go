package main

import (
	"strings"
	"testing"
)

func TestSummaryHasMedianLeastAndHalfTheQuartilesDistance(t *testing.T) {
	rounds := []float64{9, 10, 30, 8, 12}
	got := summary(rounds)
	if got.median != 10 || got.least != 8 || got.spread != (12.0-9)/2/10 {
		t.Errorf("%+v", got)
	}
	if rounds[0] != 9 || got.rounds[2] != 30 {
		t.Error("the rounds are out of order")
	}
}

func TestRoundsAreComparedOneByOne(t *testing.T) {
	quietThenBusy := summary([]float64{11, 22, 110})
	peer := summary([]float64{10, 20, 100})
	if ratio := quietThenBusy.to(peer); ratio.median != 1.1 || ratio.least != 1.1 || ratio.spread > 1e-9 {
		t.Errorf("%+v, want 1.1 in every round", ratio)
	}
	cost := quietThenBusy.minus(peer)
	if cost.median != 2 || cost.least != 1 {
		t.Errorf("%+v, want costs of 1, 2 and 10", cost)
	}
	if half := cost.over(2); half.median != 1 || half.least != 0.5 {
		t.Errorf("%+v, want half of it", half)
	}
}

func TestMarksAreReachedOrNot(t *testing.T) {
	for _, c := range []struct {
		about         string
		target        target
		ratio, spread float64
		want          string
	}{
		{"below", target{most: 1.01}, 0.99, 0, "≤ 1.01: reached"},
		{"just below, as code may lie", target{most: 1.01}, 1.005, 0, "≤ 1.01: reached, by less than the noise"},
		{"just below in noise", target{most: 0.5}, 0.4, 0.5, "≤ 0.5: reached, by less than the noise"},
		{"just above in noise", target{most: 1.01}, 1.04, 0.02, "≤ 1.01: missed, by less than the noise"},
		{"a difference below zero", target{most: 0.5}, -5, 0.1, "≤ 0.5: undecided"},
		{"above", target{most: 1.01}, 1.05, 0.02, "≤ 1.01: missed"},
		{"as many times", target{least: 3}, 3, 0, "≥ 3: reached, by less than the noise"},
		{"more times", target{least: 3}, 3.5, 0.1, "≥ 3: reached"},
		{"fewer times", target{least: 3}, 2, 0.1, "≥ 3: missed"},
		{"no target", target{}, 2, 0.1, ""},
	} {
		if got := c.target.says(c.ratio, c.spread); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

func TestALineSaysHowManyTimesAsFastWhereThatIsTheMark(t *testing.T) {
	var b strings.Builder
	ours, peer := summary([]float64{100, 90, 110}), summary([]float64{400, 450, 440})
	(&table{out: &b}).print(line{"pairs", ours, peer, target{least: 3}})
	if want := "| pairs | 100 | 440 | 4.000 | 4.444 | ± 12.5 % | ≥ 3: reached |\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
