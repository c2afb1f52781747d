//go:build linux && cgo

package e2e

import (
	"regexp"
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
			r := plain.exact(t, "-free", "-sample", sample)
			sums := bySite(r.profile, named)
			seen := 0
			for _, site := range r.truth.Sites {
				sum := sums[strings.Join(site.Frames, "\n")]
				if sum.AllocObjects > 0 {
					seen++
				}
				if sampledAll := sample == "1"; !sampledAll && site.InuseObjects != 0 {
					continue // what SQLite keeps for itself is only estimated
				}
				if sum.InuseObjects != site.InuseObjects || sum.InuseBytes != site.InuseBytes {
					t.Errorf("in use: %d objects, %d bytes; want %d, %d\n%s", sum.InuseObjects, sum.InuseBytes, site.InuseObjects,
						site.InuseBytes, indented(site.Frames))
				}
			}
			if seen == 0 {
				t.Error("no site was sampled at all")
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
			for _, line := range strings.Split(r.truth.Stats, "\n") {
				if loss := losses.FindStringSubmatch(line); loss != nil && loss[1] != "0" {
					t.Error(line)
				}
			}
		})
	}
}

// losses are the counters that say that something is missing.
var losses = regexp.MustCompile(`^(?:stacks_cut|lost|modules_without|maps_unreadable|join_off|snapshots_unsettled)\w* +(\d+) `)

// compare holds the truth against the sums of a profile, both ways.
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
	have := got.Array()
	for i, value := range want.Array() {
		if value >= 0 && value != have[i] {
			return false
		}
		if value < 0 && have[i] <= 0 { // the program cannot know how much, but there was something
			return false
		}
	}
	return true
}

func indented(names []string) string { return "\t" + strings.Join(names, "\n\t") }
