package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// drawn is a sample of blocks, each of which was recorded by chance.
type drawn struct {
	missed   float64 // how many blocks were probably not recorded
	chance   float64 // of a block not to be recorded
	weight   float64 // by how much the sum changes with a recorded block
	variance float64
}

// drawing returns what describes the samples of a column that were recorded by chance; nil if the profile lacks the blocks or bytes
// that say so, or is a difference.
func drawing(p *profile.Profile, column int) func(*profile.Sample) (d drawn, byChance bool) {
	kind, _, _ := strings.Cut(p.SampleType[column].Type, "_")
	has := func(name string) int {
		return slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	}
	objects, bytes := has(kind+"_objects"), has(kind+"_space")
	view := viewOf(p)
	if objects < 0 || bytes < 0 || view == differenceView || strings.HasPrefix(view, "in use now less ") {
		return nil
	}
	return func(s *profile.Sample) (drawn, bool) {
		blocks := max(s.Value[objects], -s.Value[objects])
		if p.Period <= 1 || blocks == 0 || ofGo(s) || slices.Contains(s.Label[report.HeapLabel], "mapped") {
			return drawn{}, false
		}
		return drawnOf(blocks, max(s.Value[bytes], -s.Value[bytes]), column == bytes, p.Period), true
	}
}

// drawnOf describes the blocks of a sample by their mean size.
func drawnOf(blocks, bytes int64, ofBytes bool, interval int64) drawn {
	sample := stack.Sample{BlockSize: stack.MixedSizes, Values: stack.Values{InuseObjects: blocks, InuseBytes: bytes}}
	size, spread := float64(bytes)/float64(blocks), sample.Spread(interval)
	chance := math.Exp(-(size + 1) / float64(interval))
	d := drawn{missed: float64(blocks) * chance, chance: chance, weight: 1 / (1 - chance), variance: spread.InuseObjects}
	if ofBytes {
		d.weight, d.variance = d.weight*size, spread.InuseBytes
	}
	return d
}

// falseAlarms is the chance that sampling alone exceeds any of the limits, at most. They share it.
const falseAlarms = 1e-4

// chance returns how much more the later one of two profiles of the same program may seem to have, relative to before × factor,
// because of sampling. The chance that it is more is alarms at most, by Bernstein's inequality for sums of independent
// bounded values (S. Bernstein 1924; Boucheron, Lugosi, Massart, Concentration Inequalities, 2.10). A tenth of it is for
// large blocks that are almost always recorded: they are taken for certain, as otherwise the largest would be the bound.
func chance(before, after *estimate, factor, alarms float64) float64 {
	all := slices.Clone(after.drawn)
	for _, d := range before.drawn {
		d.weight *= factor
		d.variance *= factor * factor
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Compare(a.chance, b.chance) })
	certain := alarms / 10
	var variance, most float64
	for _, d := range all {
		if certain -= d.missed; certain >= 0 {
			continue
		}
		variance += d.variance
		most = max(most, d.weight)
	}
	alarm := -math.Log(alarms * 9 / 10)
	return most*alarm/3 + math.Sqrt(most*alarm/3*most*alarm/3+2*variance*alarm)
}
