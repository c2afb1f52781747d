package main

import (
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

// The short form of the command: the program that needs no more than other tests do, at rest, so that RSS does not move while the
// account is taken however busy the machine is.
func TestTheAccountOfSQLiteAddsUp(t *testing.T) {
	chosen, err := selected([]string{"sqlite"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := chosen[0].run(t.TempDir(), "-moments", "20", "-rest")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range r.Faults() {
		t.Error(fault)
	}
	t.Logf("the sum is wrong by at most %.2f %%", 100*r.Most((*audit.Moment).Error))
}

func TestProgramsAreSelectedByName(t *testing.T) {
	if all, err := selected(nil); err != nil || len(all) < 8 {
		t.Errorf("%d programs, want at least 8: %v", len(all), err)
	}
	if _, err := selected([]string{"sqlite", "none"}); err == nil {
		t.Error("a program that is not there was found")
	}
}

func TestTableHasALineForEachLineOfTheAccount(t *testing.T) {
	of := func(unknown int64) column {
		m := audit.Moment{Least: 1000, Most: 1010, Lines: map[string]int64{"malloc: in use": 1030 - unknown, "mapped, caller unknown": unknown}}
		return column{programs[0], &audit.Result{Moments: []audit.Moment{m}, Remark: "good"}, &audit.Result{Moments: []audit.Moment{m}}}
	}
	var out strings.Builder
	printTable(&out, []column{of(103), of(0)})
	for _, want := range []string{"malloc: in use 90.00 % 100.00 %", "mapped, caller unknown 10.00 % -", "largest sum error 2.00 % 2.00 %",
		"RSS moved, at most 1.00 % 1.00 %", "least named share 90.00 % 100.00 %", "DuckDB: good"} {
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, want) {
			t.Errorf("%q is not in the table:\n%s", want, out.String())
		}
	}
}
