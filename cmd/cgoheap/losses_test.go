package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// lacking returns a profile of a view whose recording has lost something.
func lacking(t *testing.T, view report.View, counter, column string) string {
	t.Helper()
	return inUse(t, map[string][2]int64{"f": {1, 1}}, func(p *profile.Profile) {
		p.SampleType[0].Type, p.SampleType[1].Type = column+"_objects", column+"_space"
		p.Comments = append(view.Comments(&stack.Profile{SampleBytes: 1}),
			report.LossComment(stack.Loss{Name: counter, Count: 673024, Sentence: "blocks of which something was lost"}))
	})
}

func TestWhatAProfileLacksIsNotCompared(t *testing.T) {
	for _, c := range []struct {
		counter, limit string
		view           report.View
		column, remedy string // "": it is compared
	}{
		{"lost_live_table_full", "in use > 5%", report.InUse, "inuse", "larger tables"},
		{"lost_live_table_full", "blocks in use > 5%", report.InUse, "inuse", "larger tables"},
		{"lost_live_table_full", "peak > 5%", report.Peak, "inuse", "larger tables"},
		{"lost_live_table_full", "allocated > 5%", report.InUse, "alloc", ""},
		{"lost_stack_table_full", "allocations > 5%", report.InUse, "alloc", "larger tables"},
		{"lost_gate_full", "allocated > 5%", report.InUse, "alloc", "record again; "},
		{"peak_inexact", "peak > 5%", report.Peak, "inuse", "record again; "},
		{"peak_inexact", "in use > 5%", report.InUse, "inuse", ""},
		{"other", "in use of f > 5%", report.InUse, "inuse", "larger bound"},
		{"lost_labels", "in use > 5%", report.InUse, "inuse", ""},
	} {
		whole, lacks := lacking(t, c.view, "none", c.column), lacking(t, c.view, c.counter, c.column)
		says := "673024 blocks of which something was lost"
		for _, files := range [][2]string{{whole, lacks}, {lacks, whole}} {
			code, out, trouble := ranWith(t, "", "diff", "-fail", c.limit, files[0], files[1])
			if c.remedy == "" {
				if code != exitGood || strings.Contains(out, says) {
					t.Errorf("%s, %s: exit code %d, %s, %q", c.counter, c.limit, code, out, trouble)
				}
				continue
			}
			if code != exitUnreadable || out != "" || !strings.Contains(trouble, lacks+" is not complete: "+c.counter+": "+says) || !strings.Contains(trouble, c.remedy) {
				t.Errorf("%s, %s: exit code %d, %q, %q", c.counter, c.limit, code, out, trouble)
			}
		}
		if c.remedy == "" || c.counter == "other" {
			continue
		}
		if code, out, trouble := ranWith(t, "", "diff", whole, lacks); code != exitGood ||
			!strings.HasSuffix(out, "\nthe second one is not complete: "+c.counter+": "+says+"\n") {
			t.Errorf("%s without a limit: exit code %d, %s, %q", c.counter, code, out, trouble)
		}
	}
}

// What a limit on a function is on may be in stacks that were cut before it.
func TestWhatStacksLackMayBeTheFunctions(t *testing.T) {
	cut := func(used, allocated int) string {
		return inUse(t, map[string][2]int64{"f": {10, 1 << 20}}, func(p *profile.Profile) {
			p.Comments = append(p.Comments, "cgoheap: stacks_cut_depth: 3 stacks with more frames than are kept; the outermost are missing",
				fmt.Sprintf("cgoheap: bytes_cut_depth: %d bytes in use, 9.1 %% of all, and %d allocated, 9.1 %% of all, in stacks with more frames", used, allocated))
		})
	}
	for _, c := range []struct {
		limit  string
		a, b   string
		judged bool
	}{
		{"in use of f > 5%", cut(100, 100), cut(100_000, 100), false},
		{"in use of f > 5%", cut(100_000, 100), cut(100_000, 100_000), true},
		{"in use of f > 5%", cut(100, 100), cut(5_000, 100), true}, // 5 % of 1 MiB are more
		{"in use of f > 5%", cut(100_000, 100), cut(100, 100), true},
		{"in use > 5%", cut(100, 100), cut(100_000, 100), true},
		{"blocks in use of f > 5%", cut(100, 100), cut(100_000, 100), false},
	} {
		code, _, trouble := ranWith(t, "", "diff", "-fail", c.limit, c.a, c.b)
		if told := strings.Contains(trouble, "any of which may be of the function"); told == c.judged || (code == exitGood) != c.judged {
			t.Errorf("%s: exit code %d, %q", c.limit, code, trouble)
		}
	}
}

// Of each counter of losses it is known what it makes wrong. Those of stacks that were cut change no sum but a function's.
func TestEachLossIsKnown(t *testing.T) {
	for _, c := range layout.Counters {
		known := slices.ContainsFunc(losses, func(l touching) bool { return l.name == c.Name })
		if c.Loss != known && !strings.HasPrefix(c.Name, "stacks_cut_") {
			t.Errorf("%s is a loss: %v, and listed: %v", c.Name, c.Loss, known)
		}
	}
}
