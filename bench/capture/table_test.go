package main

import (
	"strings"
	"testing"
)

func TestSummaryHasMedianLeastAndHalfTheQuartilesDistance(t *testing.T) {
	got := summary([]float64{9, 10, 30, 8, 12})
	if want := (measured{median: 10, least: 8, spread: (12.0 - 9) / 2 / 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestCostIsADifferenceWithTheNoiseOfBoth(t *testing.T) {
	with, without := measured{median: 30, least: 28, spread: 0.1}, measured{median: 20, least: 20, spread: 0.2}
	got := with.minus(without)
	if got.median != 10 || got.least != 8 || got.spread != 0.5 {
		t.Errorf("%+v, want 10, 8 and a spread of √(3² + 4²) in 10", got)
	}
	if half := got.over(2); half.median != 5 || half.least != 4 || half.spread != 0.5 {
		t.Errorf("%+v, want half of it, as noisy", half)
	}
}

func TestMarksAreReachedOrNot(t *testing.T) {
	for _, c := range []struct {
		about         string
		mark          mark
		ratio, spread float64
		want          string
	}{
		{"below", mark{most: 1.01}, 1.005, 0, "≤ 1.01: reached"},
		{"just above in noise", mark{most: 1.01}, 1.02, 0.02, "≤ 1.01: missed, by less than the spread"},
		{"above", mark{most: 1.01}, 1.05, 0.02, "≤ 1.01: missed"},
		{"as many times", mark{least: 3}, 3, 0, "≥ 3: reached"},
		{"fewer times", mark{least: 3}, 2, 0.1, "≥ 3: missed"},
		{"no mark", mark{}, 2, 0.1, ""},
	} {
		if got := c.mark.says(c.ratio, c.spread); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

func TestALineSaysHowManyTimesAsFastWhereThatIsTheMark(t *testing.T) {
	var b strings.Builder
	ours, peer := measured{100, 90, 0.01}, measured{400, 450, 0.02}
	(&table{out: &b}).print(line{"pairs", ours, peer, mark{least: 3}})
	if want := "| pairs | 100 | 400 | 4.000 | 5.000 | ± 2.0 % | ≥ 3: reached |\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
