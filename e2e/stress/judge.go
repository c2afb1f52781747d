//go:build linux && cgo

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/check"
)

// A judge holds profiles against the truth and remembers what was wrong.
type judge struct {
	sites   []*site
	leaves  map[string]bool // functions that allocate
	bySize  map[int64]*site
	faults  int64
	dumps   int64
	samples int64
}

// mostFaults is how many faults are told; the others are only counted.
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

// take writes a profile and reads it back, after package check did.
func (j *judge) take(p *cgoheap.Profiler) (*profile.Profile, error) {
	var written bytes.Buffer
	if err := p.WriteProfile(&written); err != nil {
		return nil, err
	}
	j.dumps++
	faults, err := check.Profile(bytes.NewReader(written.Bytes()))
	for _, f := range faults {
		if f.Severity == check.Error {
			err = errors.Join(err, errors.New(f.String()))
		}
	}
	read, parsing := profile.Parse(io.Reader(&written))
	return read, errors.Join(err, parsing)
}

// sums adds up what a profile says of each site, and finds wrong stacks. counts: cut ones are counted.
func (j *judge) sums(p *profile.Profile, counts bool) map[*site]amounts {
	sums := make(map[*site]amounts)
	for _, sample := range p.Sample {
		j.samples++
		s, whole := j.siteOf(sample)
		if s == nil {
			continue
		}
		sum := sums[s]
		for i := range sum {
			sum[i] += sample.Value[i]
		}
		sums[s] = sum
		if counts && !whole {
			s.tally.cut += sample.Value[0]
		}
	}
	return sums
}

// hold wants what the profile says of each site to lie within the window's bounds; if exact, they are one.
func (j *judge) hold(p *profile.Profile, w window, exact bool) {
	sums := j.sums(p, exact)
	for i, s := range j.sites {
		least, most := w.bounds(i)
		if exact {
			s.tally.expected += least[0]
			s.tally.recorded += sums[s][0]
			if least != most {
				j.fault("%s: nothing is under way any more, and the profile is of an earlier moment", s.name)
			}
		}
		j.within(s, sums[s], least, most)
	}
}

func (j *judge) within(s *site, got, least, most amounts) {
	if difference := outside(got, least, most); difference != 0 {
		s.tally.wrong += difference
		j.fault("%s: %d, which is not between %d and %d", s.name, got, least, most)
	}
}

// outside is how far a lies outside the bounds where it does so most; in use are none fewer than 0.
func outside(a, least, most amounts) (difference int64) {
	for i := range a {
		difference = max(difference, least[i]-a[i], a[i]-most[i])
	}
	return max(difference, -a[2], -a[3])
}

// siteOf is the site that a sample is of, nil if of none, and whether it has the whole stack. A sample of a site is wrong
// unless its stack and its size are the site's.
func (j *judge) siteOf(sample *profile.Sample) (s *site, whole bool) {
	own := ours(sample)
	s = j.ofSize(sample)
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
		s.tally.wrong += sample.Value[0]
	}
	j.fault("%d blocks of %v bytes have the stack\n\t%s", sample.Value[0], sample.NumLabel["bytes"], strings.Join(all(sample), "\n\t"))
	return nil, false
}

func (j *judge) ofSize(sample *profile.Sample) *site {
	if sizes := sample.NumLabel["bytes"]; len(sizes) == 1 {
		return j.bySize[sizes[0]]
	}
	return nil
}

// unnamed says whether the stack is a single place without a name: it ended in code that was not known yet.
func unnamed(sample *profile.Sample) bool {
	return len(sample.Location) == 1 && len(sample.Location[0].Line) == 0
}

// ours are the names that sites may have in their frames, to where a goroutine's work begins.
func ours(sample *profile.Sample) []string {
	own := slices.DeleteFunc(all(sample), func(name string) bool {
		return !strings.HasPrefix(name, "stress_") && !strings.HasPrefix(name, "main.")
	})
	if end := slices.Index(own, "main.work"); end >= 0 {
		own = own[:end+1]
	}
	return own
}

func all(sample *profile.Sample) []string {
	var names []string
	for _, location := range sample.Location {
		for _, line := range location.Line {
			names = append(names, line.Function.Name)
		}
		if len(location.Line) == 0 {
			names = append(names, fmt.Sprintf("%#x", location.Address))
		}
	}
	return names
}
