package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A miss that another try does not repeat is told; one that stays is a fault, and no chance.
func TestATryThatMissedIsRecorded(t *testing.T) {
	missing, wrong := &verdict{misses: 1, faults: []string{"finds half"}}, &verdict{faults: []string{"says too much"}}
	for about, c := range map[string]struct {
		verdicts []*verdict
		want     string
	}{
		"found at once":      {[]*verdict{{}}, ""},
		"found in the third": {[]*verdict{missing, missing, {}}, `{"Flaky":[{"Name":"e2e/leaks a case","Failed":2,"Runs":3,"Output":"finds half\nfinds half"}]}` + "\n"},
		"never found":        {slices.Repeat([]*verdict{missing}, tries), ""},
		"wrong, then":        {[]*verdict{missing, wrong}, ""},
	} {
		record, ran := filepath.Join(t.TempDir(), "record"), 0
		v, err := untilFound("a case", record, func() (*verdict, error) { ran++; return c.verdicts[ran-1], nil })
		if err != nil || ran != len(c.verdicts) || v != c.verdicts[ran-1] {
			t.Errorf("%s: after %d runs %v, %v", about, ran, v, err)
		}
		text, err := os.ReadFile(record)
		if got := string(text); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: recorded %q, want %q; %v", about, got, c.want, err)
		}
	}
	if _, err := untilFound("a case", "", func() (*verdict, error) { return new(verdict), nil }); err != nil {
		t.Error(err)
	}
}
