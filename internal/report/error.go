package report

import (
	"fmt"

	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// spread returns the variance of a sample's values; none where nothing is estimated.
func (r *Report) spread(s *stack.Sample) stack.Spread {
	if r.Differs {
		return stack.Spread{}
	}
	interval := r.Header.SampleBytes
	for _, l := range s.Labels {
		switch {
		case r.Group == "" || l.Key != r.Group:
		case l.Text == "go":
			interval = r.GoSampleBytes
		case l.Text == "mapped":
			interval = 1
		}
	}
	return s.Spread(interval)
}

// spreadOf returns the variance of the sum of samples.
func (r *Report) spreadOf(samples []stack.Sample) (sum stack.Spread) {
	for i := range samples {
		sum.Add(r.spread(&samples[i]))
	}
	return sum
}

// spreads returns the variances of the sums of samples by the value of the label Group.
func (r *Report) spreads(samples []stack.Sample) map[string]stack.Spread {
	sums := make(map[string]stack.Spread)
	for i := range samples {
		key := r.groupOf(&samples[i])
		sum := sums[key]
		sum.Add(r.spread(&samples[i]))
		sums[key] = sum
	}
	return sums
}

// groupOf returns the sample's value of the label Group, "" if it has none.
func (r *Report) groupOf(s *stack.Sample) string {
	for _, l := range s.Labels {
		if l.Key == r.Group {
			return l.Text
		}
	}
	return ""
}

// restSpread returns the variance of a sum of samples that were cut.
func (r *Report) restSpread(rest *stack.Rest) stack.Spread { return r.cut[rest.Label.Text] }

// beside returns the sum of what is written beside the samples, and its variance.
func (r *Report) beside() (total stack.Values, spread stack.Spread) {
	for i := range r.rests {
		total.Add(r.rests[i].Values)
		spread.Add(r.restSpread(&r.rests[i]))
	}
	for i := range r.Leaves {
		total.Add(r.Leaves[i].Values)
	}
	return total, spread
}

// errorComments say how exact the totals are; none where they are exact.
func (r *Report) errorComments(total stack.Values, spread stack.Spread) (list []string) {
	of := func(what string, bytes int64, variance float64) {
		if variance > 0 {
			list = append(list, fmt.Sprintf("cgoheap: %s in all: %d ± %.0f bytes, the error of sampling (95 %%)", what, bytes, stack.Half(variance)))
		}
	}
	if r.Header.Columns != pprof.AllocatedColumns {
		of("in use", total.InuseBytes, spread.InuseBytes)
	}
	if r.Header.Columns != pprof.InuseColumns {
		of("allocated", total.AllocBytes, spread.AllocBytes)
	}
	return list
}

// plusMinus is the error of a number of things; "" if it is exact.
func plusMinus(variance float64) string {
	if half := stack.Half(variance); half >= 0.5 {
		return fmt.Sprintf(" ± %.0f", half)
	}
	return ""
}
