package truth

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// Faults returns what is wrong with samples that should be the site's: stacks that lack one of its frames, between which
// others may stand, and wrong amounts.
func (s Site) Faults(samples []*profile.Sample) (faults []string) {
	var got Values
	for _, sample := range samples {
		names := Names(sample)
		if missing := missing(names, s.Frames); missing != "" {
			faults = append(faults, fmt.Sprintf("a stack without %s:\n\t%s", missing, strings.Join(names, "\n\t")))
			continue
		}
		got.Add(Values(sample.Value))
	}
	if got != s.Values {
		faults = append(faults, fmt.Sprintf("allocated and in use: %d, want %d at\n\t%s", got, s.Values, strings.Join(s.Frames, "\n\t")))
	}
	return faults
}

// missing returns the first of the frames that the names lack, in order; "" if they have them all.
func missing(names, frames []string) string {
	for _, frame := range frames {
		at := slices.Index(names, frame)
		if at < 0 {
			return frame
		}
		names = names[at+1:]
	}
	return ""
}

// BySize lists the samples of a profile by their block sizes.
func BySize(p *profile.Profile) map[int64][]*profile.Sample {
	bySize := make(map[int64][]*profile.Sample)
	for _, sample := range p.Sample {
		size := BlockSize(sample)
		bySize[size] = append(bySize[size], sample)
	}
	return bySize
}

var (
	lost = regexp.MustCompile(`^(lost|maps_unreadable|modules_left_out|join_off|operators_unseen)`)
	cut  = regexp.MustCompile(`^(stacks_cut|modules_without|snapshots_unsettled)`)
)

// Lost returns the counters of what is missing from the profiles of a recording.
func Lost(stats cgoheap.Stats) cgoheap.Stats { return matching(stats, lost) }

// Cut returns the counters of what is there only in part: cut stacks, or an earlier moment than the profile's.
func Cut(stats cgoheap.Stats) cgoheap.Stats { return matching(stats, cut) }

func matching(stats cgoheap.Stats, names *regexp.Regexp) cgoheap.Stats {
	return slices.DeleteFunc(slices.Clone(stats), func(c cgoheap.Counter) bool { return !names.MatchString(c.Name) })
}

// Losses lists the counters of Lost and Cut that are not 0, except the tolerated ones.
func Losses(stats cgoheap.Stats, tolerated ...string) (losses []string) {
	for _, c := range slices.Concat(Lost(stats), Cut(stats)) {
		if c.Value != 0 && !slices.Contains(tolerated, c.Name) {
			losses = append(losses, fmt.Sprintf("%s is %d: %s", c.Name, c.Value, c.Sentence))
		}
	}
	return losses
}
