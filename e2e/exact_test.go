package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/e2e/truth"
)

// namer is how the stacks of a run get names: a stripped executable takes them from its twin.
func (r run) namer(t *testing.T, b build) namer {
	if b.name != stripped.name {
		return named
	}
	twin := dwarf4.executable(t)
	sameCode(t, r.executable, twin)
	return fromTwin(t, r.executable, twin)
}

func TestEverySiteHasExactlyWhatItAllocated(t *testing.T) {
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			r := b.exact(t)
			compare(t, r.truth, bySite(r.profile, r.namer(t, b)))
		})
	}
}

func TestNothingIsInUseWhenEverythingIsFreed(t *testing.T) {
	for _, sample := range []string{"1", "65536", "524288"} {
		t.Run("sampled every "+sample, func(t *testing.T) {
			if testing.Short() && sample != "1" {
				t.Skip("long: make test-all runs it")
			}
			r := plain.exact(t, "-free", "-sample", sample)
			sums := bySite(r.profile, named)
			seen := 0
			for _, site := range r.truth.Sites {
				sum := sums[strings.Join(site.Frames, "\n")]
				if sum[truth.AllocObjects] > 0 {
					seen++
				}
				if sampledAll := sample == "1"; !sampledAll && site.Values[truth.InuseObjects] != 0 {
					continue // memory that SQLite keeps for itself is only estimated
				}
				if got, want := sum[truth.InuseObjects:], site.Values[truth.InuseObjects:]; !slices.Equal(got, want) {
					t.Errorf("objects and bytes in use: %d, want %d\n%s", got, want, indented(site.Frames))
				}
			}
			if seen == 0 {
				t.Error("no site was sampled")
			}
		})
	}
}

func TestNoStackIsCutShort(t *testing.T) {
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			r := b.exact(t)
			begins := make(map[string][]span)
			for _, sample := range r.profile.Sample {
				if !complete(t, sample, begins) {
					t.Errorf("not to the end:\n%s", indented(r.namer(t, b).stack(sample)))
				}
			}
			for _, loss := range r.truth.Losses {
				t.Error(loss)
			}
		})
	}
}

// compare compares the truth with the sums of a profile, in both directions.
func compare(t *testing.T, want truth.Report, got map[string]truth.Values) {
	t.Helper()
	leaves, expected := make(map[string]bool), make(map[string]bool)
	for _, site := range want.Sites {
		key := strings.Join(site.Frames, "\n")
		leaves[site.Frames[0]], expected[key] = true, true
		if !agree(site.Values, got[key]) {
			t.Errorf("got %+v\nwant %+v at\n%s", got[key], site.Values, indented(site.Frames))
		}
	}
	for key, values := range got {
		frames := strings.Split(key, "\n")
		if leaves[frames[0]] && !expected[key] {
			t.Errorf("%+v at a stack that nobody allocated at:\n%s", values, indented(frames))
		}
	}
}

func agree(want, got truth.Values) bool {
	for i, value := range want {
		if value >= 0 && value != got[i] {
			return false
		}
		if value < 0 && got[i] <= 0 { // the program cannot know how much it was, only that it was more than nothing
			return false
		}
	}
	return true
}

func indented(names []string) string { return "\t" + strings.Join(names, "\n\t") }
