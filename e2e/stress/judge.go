package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// A judge compares profiles with the truth and remembers faults.
type judge struct {
	sites   []*site
	leaves  map[string]bool // functions that allocate
	bySize  map[int64]*site
	faults  int64
	dumps   int64
	samples int64
}

// mostFaults is how many faults are printed; the others are only counted.
const mostFaults = 40

func newJudge(sites []*site) *judge {
	j := &judge{sites: sites, leaves: make(map[string]bool), bySize: make(map[int64]*site)}
	for _, s := range sites {
		j.leaves[s.frames[0]] = true
		for _, size := range s.sizes {
			j.bySize[size] = s
		}
	}
	return j
}

func (j *judge) fault(format string, arguments ...any) {
	if j.faults++; j.faults <= mostFaults {
		fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	}
}

// take writes a profile and reads it back.
func (j *judge) take(p *cgoheap.Profiler) (*profile.Profile, error) {
	j.dumps++
	return truth.Take(p)
}

// sums adds up a profile by site, and finds wrong stacks. If counts is true, cut stacks are counted.
func (j *judge) sums(p *profile.Profile, counts bool) map[*site]truth.Values {
	return truth.Sums(p, func(sample *profile.Sample) (*site, bool) {
		j.samples++
		s, whole := j.siteOf(sample)
		if s != nil && counts && !whole {
			s.counts.cut += sample.Value[0]
		}
		return s, s != nil
	})
}

// hold checks that each site's values in the profile lie within the window's bounds, which are equal if exact is true.
func (j *judge) hold(p *profile.Profile, w window, exact bool) {
	sums := j.sums(p, exact)
	for i, s := range j.sites {
		least, most := w.bounds(i)
		if exact {
			s.counts.expected += least[0]
			s.counts.recorded += sums[s][0]
			if least != most {
				j.fault("%s: nothing is in progress, but the profile is of an earlier moment", s.name)
			}
		}
		j.within(s, sums[s], least, most)
	}
}

func (j *judge) within(s *site, got, least, most truth.Values) {
	difference := max(got.Outside(least, most), -got[truth.InuseObjects], -got[truth.InuseBytes])
	if difference != 0 {
		s.counts.wrong += difference
		j.fault("%s: %d, which is not between %d and %d", s.name, got, least, most)
	}
}

// siteOf returns the site of a sample, nil if it has none, and whether it has the whole stack. A site's sample is wrong
// unless its stack and its size are the site's.
func (j *judge) siteOf(sample *profile.Sample) (s *site, whole bool) {
	own := ours(sample)
	s = j.bySize[truth.BlockSize(sample)]
	switch {
	case len(own) == 0 || !j.leaves[own[0]]:
		if s == nil || !s.ofFile || !unnamed(sample) {
			return nil, false
		}
		return s, false
	case s != nil && slices.Equal(own, s.frames):
		return s, true
	case s != nil && s.ofFile && len(own) < len(s.frames) && slices.Equal(own, s.frames[:len(own)]):
		return s, false
	case s != nil:
		s.counts.wrong += sample.Value[0]
	}
	j.fault("%d blocks of %v bytes have the stack\n\t%s", sample.Value[0], sample.NumLabel["bytes"], strings.Join(truth.Names(sample), "\n\t"))
	return nil, false
}

// unnamed reports whether the stack is a single location without a name: it ended in code that was not known yet.
func unnamed(sample *profile.Sample) bool {
	return len(sample.Location) == 1 && len(sample.Location[0].Line) == 0
}

// ours returns the names that sites may have in their frames, up to the start of a goroutine's work.
func ours(sample *profile.Sample) []string {
	own := slices.DeleteFunc(truth.Names(sample), func(name string) bool {
		return !strings.HasPrefix(name, "stress_") && !strings.HasPrefix(name, "main.")
	})
	if end := slices.Index(own, "main.work"); end >= 0 {
		own = own[:end+1]
	}
	return own
}
