package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// touching is a counter of what recordings lack, with what it makes wrong: beginnings of columns (inuse_, alloc_), and views.
type touching struct {
	name    string
	touches []string
}

var losses = []touching{
	{"lost_stack_table_full", []string{"inuse_", "alloc_"}},
	{"lost_site_table_full", []string{"inuse_", "alloc_"}},
	{"lost_live_table_full", []string{"inuse_"}},
	{"lost_lifetime_table_full", []string{report.ShortLived.Name}},
	{"lost_gate_full", []string{"inuse_", "alloc_"}},
	{"lost_carry", []string{"inuse_", "alloc_"}},
	{"frees_lost", []string{"inuse_"}},
	{"freed_in_use", []string{"inuse_"}},
	{"frees_unseen", []string{"inuse_"}},
	{"operators_unseen", []string{"inuse_", "alloc_"}},
	{"snapshots_unsettled", []string{"inuse_", "alloc_"}},
	{"peak_inexact", []string{report.Peak.Name}},
	{"peak_missed", []string{report.Peak.Name}},
	{"lost_mapped", []string{report.RSS.Name}},
	{"mappings_off", []string{report.RSS.Name}},
	{"lost_device_books_full", []string{report.Device.Name}},
	{"lost_drivers", []string{report.Device.Name}},
	{"lost_labels", nil},
	{"labels_cut", nil},
}

// lossesIn returns what a profile says that it lacks of a column.
func lossesIn(p *profile.Profile, column int) (list []stack.Loss) {
	kind, _, _ := strings.Cut(p.SampleType[column].Type, "_")
	view := viewOf(p)
	for _, l := range losses {
		if slices.Contains(l.touches, kind+"_") || slices.Contains(l.touches, view) {
			if lost, found := report.LossIn(p.Comments, l.name); found {
				list = append(list, lost)
			}
		}
	}
	return list
}

// cutBytes are the bytes of stacks that were cut, and so may lack any function: in use, or allocated.
func cutBytes(p *profile.Profile, kind string) (sum float64) {
	for _, c := range layout.Counters {
		name, is := strings.CutPrefix(c.Name, "stacks_cut_")
		if !is {
			continue
		}
		cut, found := report.LossIn(p.Comments, "bytes_cut_"+name)
		bytes := float64(cut.Count)
		if kind == "alloc" {
			bytes = 0
			_, rest, _ := strings.Cut(cut.Sentence, ", and ")
			_, _ = fmt.Sscan(rest, &bytes) // without a number, none is known
		}
		if found {
			sum += bytes
		}
	}
	return sum
}

// hidden returns an error if more than a limit allows may have come to the function in stacks that were cut before it. Of blocks, a
// hundredth of all bytes is allowed.
func (l *limit) hidden(a, b *profile.Profile, v *verdict) error {
	kind, _, _ := strings.Cut(l.measure.column, "_")
	more := cutBytes(b, kind) - cutBytes(a, kind)
	allowed := l.allowed(v)
	if v.Unit != "bytes" {
		allowed = 0
		bytes := columnOf(b, kind+"_space")
		for _, s := range b.Sample {
			allowed += float64(s.Value[bytes]) / 100
		}
	}
	if l.function == "" || v.Exceeded || more <= 0 || float64(v.Change)+more <= allowed {
		return nil
	}
	return fmt.Errorf("-fail %q cannot be judged: stacks that were cut have %s more than before, any of which may be of the function: record again with deeper stacks "+
		"(Config.MaxDepth, CGOHEAP_MAX_DEPTH), or set a limit on all of it", l.text, report.Bytes(int64(more)))
}

// whole returns an error if a profile lacks some of what a limit is on.
func (l limits) whole(name string, p *profile.Profile) error {
	for i := range l {
		column := columnOf(p, l[i].measure.column)
		if column < 0 {
			continue // judge says so
		}
		missing := lossesIn(p, column)
		if other, found := report.LossIn(p.Comments, "other"); found && l[i].function != "" {
			missing = append(missing, other) // some of which may be the function's
		}
		for _, lost := range missing {
			remedy := "record again"
			if strings.HasSuffix(lost.Name, "_table_full") {
				remedy = "record again with larger tables (Config.TableBytes, CGOHEAP_TABLE_BYTES), with fewer iterations, or, if this is " +
					"of cgoheap run, without -exact"
			} else if lost.Name == "other" {
				remedy = "take it again with a larger bound (Selection.MaxSamples, Selection.MaxBytes)"
			}
			return fmt.Errorf("-fail %q cannot be judged: %s is not complete: %s: %d %s: %s; without -fail, the two are compared as they are", l[i].text, name,
				lost.Name, lost.Count, lost.Sentence, remedy)
		}
	}
	return nil
}
