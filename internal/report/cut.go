package report

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// ErrBounds reports bounds too small for any profile.
var ErrBounds = errors.New("the bounds are too small")

// Cut keeps the largest samples within the bounds, of samples and of bytes before compression; 0 is no bound. It adds the
// others up in one sample called "other", for each value of Group. It returns ErrBounds if not even those fit.
func (r *Report) Cut(samples int, bytes int64) error {
	all := r.Samples
	if samples > 0 && len(all)+len(r.Leaves) > samples {
		rest := r.groups(all) + len(r.Leaves)
		if rest > samples {
			return fmt.Errorf("%w: the rest alone makes %d samples, more than %d", ErrBounds, rest, samples)
		}
		r.keep(all, samples-rest)
	}
	if bytes == 0 {
		return nil
	}
	size, err := r.size()
	if err != nil || size <= bytes {
		return err
	}
	return r.cutBytes(all, bytes)
}

// cutBytes finds by bisection how many samples fit. The size hardly falls with the number of samples at first, because names
// make up most of it, so it cannot be computed from that. The search ends at an accuracy of a hundredth.
func (r *Report) cutBytes(all []stack.Sample, bytes int64) error {
	fits, exceeds := -1, len(r.Samples)
	for exceeds-fits > 1+fits/100 {
		middle := (fits + exceeds) / 2
		r.keep(all, middle)
		size, err := r.size()
		switch {
		case err != nil:
			return err
		case size <= bytes:
			fits = middle
		default:
			exceeds = middle
		}
	}
	if fits < 0 {
		return fmt.Errorf("%w: a profile without samples is longer than %d bytes", ErrBounds, bytes)
	}
	r.keep(all, fits)
	return nil
}

// size returns the report's length before compression.
func (r *Report) size() (int64, error) {
	trial := *r
	trial.Header.Compression = pprof.Uncompressed
	return trial.write(io.Discard)
}

// keep makes the report of the n largest samples and the sum of the rest. The largest are those with the largest shares of
// the bytes allocated and in use together: chosen by one of the two, the other would be arbitrary.
func (r *Report) keep(all []stack.Sample, n int) {
	var allocated, inuse float64
	for i := range all {
		allocated += math.Abs(float64(all[i].AllocBytes))
		inuse += math.Abs(float64(all[i].InuseBytes))
	}
	whole := stack.Profile{Samples: all}
	r.Samples, r.rests = whole.Top(max(0, n), func(v stack.Values) int64 {
		return share(v.AllocBytes, allocated) + share(v.InuseBytes, inuse)
	}, r.Group)
	r.cut = r.spreads(all)
	for group, kept := range r.spreads(r.Samples) {
		r.cut[group] = r.cut[group].Less(kept)
	}
}

// share returns the share of bytes in a total, in units of 2^-61.
func share(bytes int64, total float64) int64 {
	if total == 0 {
		return 0
	}
	return int64(math.Abs(float64(bytes)) / total * (1 << 61))
}

// groups returns how many values the label Group has among samples, its absence being one: the number of rests that a cut
// may have.
func (r *Report) groups(samples []stack.Sample) int {
	found := make(map[string]bool)
	for i := range samples {
		text := ""
		for _, l := range samples[i].Labels {
			if l.Key == r.Group {
				text = l.Text
			}
		}
		found[text] = true
	}
	return len(found)
}

// writeRests writes the sums of the samples that were cut, so that the totals stay right.
func (r *Report) writeRests(e *pprof.Encoder) {
	for _, rest := range r.rests {
		other := e.Location(pprof.Location{
			Mapping: r.Header.Main,
			Lines:   []pprof.Line{{Function: pprof.Function{Name: "other", SystemName: "other"}}},
		})
		sample := stack.Sample{BlockSize: stack.MixedSizes, Values: rest.Values}
		if rest.Label.Key != "" {
			sample.Labels = []stack.Label{rest.Label}
		}
		if e.Sample([]pprof.LocationID{other}, &sample) != nil {
			return // Close returns it
		}
		e.Comment(fmt.Sprintf("cgoheap: other: %s beyond the bound of the profile, added up", Count(int64(rest.Samples), "sample")))
	}
}
