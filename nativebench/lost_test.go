package nativebench

import (
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/layout"
)

// harmless are the beginnings of losses that leave the sums right.
var harmless = []string{"stacks_cut_", "lost_lifetime_", "lost_labels", "labels_cut", "lost_mapped", "lost_device_", "lost_drivers"}

func TestEachLossChangesSumsOrDoesNot(t *testing.T) {
	seen := 0
	for _, c := range layout.Counters {
		changes := slices.Contains(losses, c.Name)
		if changes {
			seen++
		}
		isHarmless := slices.ContainsFunc(harmless, func(start string) bool { return strings.HasPrefix(c.Name, start) })
		if c.Loss && changes == isHarmless {
			t.Errorf("%s is in both lists, or in none", c.Name)
		}
		if failed := lost(cgoheap.Stats{{Name: c.Name, Value: 1}}) != nil; failed != changes {
			t.Errorf("%s: failed: %v", c.Name, failed)
		}
		if lost(cgoheap.Stats{{Name: c.Name}}) != nil {
			t.Errorf("%s of 0 is a loss", c.Name)
		}
	}
	if seen != len(losses)-1 || lost(cgoheap.Stats{{Name: "operators_unseen", Value: 1}}) == nil { // which is none of the C code's
		t.Errorf("%d of %d are counters", seen, len(losses))
	}
}

func TestFullTablesAreAnsweredByFewerIterations(t *testing.T) {
	for name, want := range map[string]bool{"lost_live_table_full": true, "lost_gate_full": false} {
		err := lost(cgoheap.Stats{{Name: name, Value: 1}})
		if got := strings.Contains(err.Error(), "-benchtime=100x"); got != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
