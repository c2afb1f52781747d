package pprof

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/stack"
)

// labelled is the only sample of a profile, which has these labels.
func labelled(t *testing.T, blockSize int64, labels ...stack.Label) *profile.Sample {
	t.Helper()
	f := Location{Address: 1, Lines: []Line{{Function: Function{Name: "f"}}, {Function: Function{Name: "g"}}}}
	g := Location{Address: 2, Lines: []Line{{Function: Function{Name: "g"}}}}
	r := recording{samples: []recordedSample{{locations: []Location{f, g}, blockSize: blockSize, labels: labels}}}
	return r.read(t).Sample[0]
}

func TestLabelsAreTextsOrNumbersWithTheirUnit(t *testing.T) {
	s := labelled(t, 64, stack.Label{Key: "age", Number: 60, Unit: "seconds"}, stack.Label{Key: "tenant", Text: "blue"})
	if diff := cmp.Diff(map[string][]string{"tenant": {"blue"}}, s.Label); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]int64{"bytes": {64}, "age": {60}}, s.NumLabel); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"bytes": {"bytes"}, "age": {"seconds"}}, s.NumUnit); diff != "" {
		t.Error(diff)
	}
}

func TestLabelThatSaysNothingIsLeftOut(t *testing.T) {
	s := labelled(t, stack.MixedSizes, stack.Label{Text: "no key"}, stack.Label{Key: "no value"})
	if len(s.Label) > 0 || len(s.NumLabel) > 0 {
		t.Errorf("labels %v, numbers %v", s.Label, s.NumLabel)
	}
}

func TestLabelsOfInvalidTextBecomeValid(t *testing.T) {
	s := labelled(t, stack.MixedSizes, stack.Label{Key: "k\xff", Text: "t\xfe\xff"}, stack.Label{Key: "n\xff", Number: 1, Unit: "u\xff"})
	if diff := cmp.Diff(map[string][]string{"k\uFFFD": {"t\uFFFD"}}, s.Label); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"n\uFFFD": {"u\uFFFD"}}, s.NumUnit); diff != "" {
		t.Error(diff)
	}
}

func TestEveryValueHasAColumn(t *testing.T) {
	if n := reflect.TypeFor[stack.Values]().NumField(); n != len(allColumns) {
		t.Errorf("%d values, %d columns", n, len(allColumns))
	}
}
