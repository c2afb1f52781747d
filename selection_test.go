package cgoheap

import (
	"strings"
	"testing"
	"time"
)

func TestInvalidSelections(t *testing.T) {
	for want, s := range map[string]Selection{
		"Selection.View is age with -1s, which is negative":        {View: ViewAge(-time.Second)},
		"View is shortlived with 2s, which must be one of [100ms":  {View: ViewShortLived(2 * time.Second)},
		"Selection.View has a Baseline that is nil":                {View: ViewGrowth(nil)},
		"cgoheap: Selection.View has a Baseline that is nil":       {View: ViewDelta(nil), Advance: true},
		"Advance needs a view with a Baseline, and the view is pe": {View: ViewPeak(), Advance: true},
		"GoHeap does not go with the view age":                     {View: ViewAge(0), GoHeap: true},
		"MaxSamples is -1":                                         {MaxSamples: -1},
		"MaxBytes is -2":                                           {MaxBytes: -2},
		"Compression is 10; it must be from -1 to 9":               {Compression: 10},
	} {
		if _, err := s.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}
