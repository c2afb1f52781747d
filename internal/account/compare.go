package account

import (
	"cmp"
	"fmt"
)

// The kernel has a figure of its own for RSS. It is not of the same moment: pages come and go while others are looked up, and the kernel
// keeps its figure in portions for each processor or thread, so it may lag behind by some pages for each, on large machines by 100 MiB. So
// only a sum counts as wrong that is far beyond all figures before and after, among them the exact one of smaps_rollup. That one is read on
// suspicion only: it takes longer than the account.
//
//	least of the figures × 3/4 − 32 MiB ≤ sum ≤ most of them × 5/4 + 32 MiB
//
// Memory of which a quarter comes and goes again within an account is beyond that too. The reason then has the numbers, which are true.

// readRSS keeps the kernel's figure, if it can be read.
func (v *Survey) readRSS() {
	if rss, err := v.kernel.RSS(); err == nil {
		v.rss = append(v.rss, rss)
	}
}

// why returns the reasons for which the account is incomplete.
func (v *Survey) why() error {
	err := cmp.Or(v.maps, v.whole, v.bySums)
	if v.blind != nil {
		err = fmt.Errorf("%w; %w", err, v.blind)
	}
	return err
}

// compare compares the lines with the kernel's figure, and adds the part of RSS that no line has, because some could not be read.
func (a *Account) compare(v *Survey) {
	if cmp.Or(v.maps, v.whole) == nil {
		a.doubt(v)
		return
	}
	rss, err := v.kernel.RSS()
	if err != nil {
		a.Err = fmt.Errorf("%w; RSS is the sum of what is known: %w", a.Err, err)
		return
	}
	a.explain(rss)
}

// doubt reports a sum that is far from the kernel's figures.
func (a *Account) doubt(v *Survey) {
	figures := v.rss
	if agrees(a.RSS.Resident, figures) {
		return
	}
	if exact, err := v.kernel.Rollup(); err == nil {
		figures = append(figures, exact)
	}
	if agrees(a.RSS.Resident, figures) {
		return
	}
	least, most := bounds(figures)
	err := fmt.Errorf("the lines add up to %d bytes, and by the kernel's figure it is from %d to %d", a.RSS.Resident, least, most)
	if a.Err = err; v.bySums != nil {
		a.Err = fmt.Errorf("%w; %w", v.bySums, err)
	}
	a.explain(least)
}

// agrees reports whether a sum can be RSS, by figures of it.
func agrees(sum int64, figures []int64) bool {
	const part, always = 4, 32 << 20
	least, most := bounds(figures)
	return len(figures) == 0 || sum >= least-least/part-always && sum <= most+most/part+always
}

func bounds(figures []int64) (least, most int64) {
	for i, f := range figures {
		if least, most = min(least, f), max(most, f); i == 0 {
			least, most = f, f
		}
	}
	return least, most
}

// explain makes the lines add up to RSS.
func (a *Account) explain(rss int64) {
	if rest := rss - a.RSS.Resident; rest > 0 {
		a.add(Unexplained, Rest, Size{Resident: rest})
		a.RSS.Resident = rss
	}
}
