package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/report"
)

// ordinals are what the two profiles of a difference are called.
var ordinals = [2]string{"first", "second"}

// likeOther leaves in two profiles what both have, and returns what a reader must know of the rest.
func likeOther(a, b *profile.Profile, column int) (notes []string) {
	both := [2]*profile.Profile{a, b}
	for i, p := range both {
		if !hasGoHeap(p) || hasGoHeap(both[1-i]) {
			continue
		}
		if viewOf(p) == report.RSS.Name {
			notes = append(notes, fmt.Sprintf("only the %s one has the stacks of Go's heap: in the other it is in the lines of Go that have no stacks", ordinals[i]))
			continue
		}
		notes = append(notes, fmt.Sprintf("only the %s one has Go's own heap, %s: it is left out", ordinals[i], amountOf(p.SampleType[column].Unit)(withoutGoHeap(p, column))))
	}
	for i, p := range both {
		if _, found := report.LossIn(p.Comments, "other"); found {
			notes = append(notes, fmt.Sprintf("the %s one has only its largest samples: the rest of it is in the line other, whoever allocated it", ordinals[i]))
		}
		for _, lost := range lossesIn(p, column) {
			notes = append(notes, fmt.Sprintf("the %s one is not complete: %s: %d %s", ordinals[i], lost.Name, lost.Count, lost.Sentence))
		}
	}
	return append(notes, spans(a, b, strings.HasPrefix(a.SampleType[column].Type, "alloc_"))...)
}

// ofGo reports whether a sample is of Go's own heap.
func ofGo(s *profile.Sample) bool { return slices.Contains(s.Label[report.HeapLabel], "go") }

// hasGoHeap reports whether a profile was made with Go's own heap. All of its samples have the label then. Of all that is resident, it
// reports whether Go's heap has stacks.
func hasGoHeap(p *profile.Profile) bool {
	resident := viewOf(p) == report.RSS.Name
	return slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		if resident {
			return ofGo(s) && !strings.HasPrefix(nameOf(s), "[")
		}
		return ofGo(s) || slices.Contains(s.Label[report.HeapLabel], "native")
	})
}

// withoutGoHeap takes Go's own heap out of a profile, and returns how much of a column it was. The rest has no label of its heap any
// more, as in a profile that was made without Go's.
func withoutGoHeap(p *profile.Profile, column int) (sum int64) {
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		if ofGo(s) {
			sum += s.Value[column]
			return true
		}
		delete(s.Label, report.HeapLabel)
		return false
	})
	return sum
}

// spans says if the profiles cover different times: deltas of different lengths, or the allocations of recordings that lasted longer and
// less long. Two runs of a program begin at different times, and that says nothing.
func spans(a, b *profile.Profile, allocated bool) []string {
	x, y := time.Duration(a.DurationNanos).Round(time.Second), time.Duration(b.DurationNanos).Round(time.Second)
	if x != y {
		return []string{fmt.Sprintf("the first one covers %v, and the second one %v", x, y)}
	}
	if x != 0 || !allocated || sinceOf(a) == sinceOf(b) {
		return nil
	}
	from, to := lasted(a), lasted(b)
	if more := max(from-to, to-from); more > 10*time.Second && more > max(from, to)/10 {
		return []string{fmt.Sprintf("the first one has what was allocated in %v, and the second one in %v", from, to)}
	}
	return nil
}

// lasted returns how long the recording of a profile had lasted, to the second; 0 if it does not say.
func lasted(p *profile.Profile) time.Duration {
	since, err := time.Parse(time.DateTime+" MST", sinceOf(p))
	if err != nil {
		return 0
	}
	return max(0, time.Unix(0, p.TimeNanos).Sub(since)).Round(time.Second)
}

const unknownTime = "an unknown time"

// sinceOf returns when the recording of a profile began, by its comment; "an unknown time" where none says so.
func sinceOf(p *profile.Profile) string {
	for _, c := range p.Comments {
		if strings.HasPrefix(c, "cgoheap: native memory ") {
			if _, since, found := strings.Cut(c, " since "); found {
				since, _, _ = strings.Cut(since, ",")
				return since
			}
		}
	}
	return unknownTime
}
