package stack

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func inuseBytes(v Values) int64 { return v.InuseBytes }

func randomProfile(seed uint64) *Profile {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &Profile{Samples: make([]Sample, rng.IntN(40))}
	for i := range p.Samples {
		s := Sample{ID: uint64(i + 1), Values: Values{InuseObjects: 1, InuseBytes: rng.Int64N(21) - 10}}
		if heap := rng.IntN(3); heap > 0 {
			s.Labels = []Label{{Key: "age", Number: 1, Unit: "seconds"}, {Key: "heap", Text: []string{"", "go", "native"}[heap]}}
		}
		p.Samples[i] = s
	}
	return p
}

// slowTop sorts a copy of everything by magnitude and reads off the first n.
func slowTop(p *Profile, n int) (kept []Sample, rest map[Label]Values) {
	ranked := slices.Clone(p.Samples)
	slices.SortStableFunc(ranked, func(a, b Sample) int {
		return int(math.Abs(float64(b.InuseBytes)) - math.Abs(float64(a.InuseBytes)))
	})
	ranked = ranked[:min(n, len(ranked))]
	rest = map[Label]Values{}
	for _, s := range p.Samples {
		if slices.ContainsFunc(ranked, func(r Sample) bool { return r.ID == s.ID }) {
			kept = append(kept, s)
			continue
		}
		var label Label
		if len(s.Labels) > 0 {
			label = s.Labels[1]
		}
		sum := rest[label]
		sum.Add(s.Values)
		rest[label] = sum
	}
	return kept, rest
}

func TestTopAgreesWithSortingEverything(t *testing.T) {
	for seed := range uint64(200) {
		p := randomProfile(seed)
		for _, n := range []int{0, 1, 2, 7, 20, 39, 40} {
			kept, rests := p.Top(n, inuseBytes, "heap")
			wantKept, wantRest := slowTop(p, n)
			if diff := cmp.Diff(ids(wantKept), ids(kept)); diff != "" {
				t.Fatalf("seed %d, n %d: kept (-slow +fast):\n%s", seed, n, diff)
			}
			got, count := map[Label]Values{}, len(kept)
			for _, r := range rests {
				got[r.Label] = r.Values
				count += r.Samples
			}
			if diff := cmp.Diff(wantRest, got); diff != "" || count != len(p.Samples) || len(got) != len(rests) {
				t.Fatalf("seed %d, n %d: %d of %d samples; rests (-slow +fast):\n%s", seed, n, count, len(p.Samples), diff)
			}
		}
	}
}

func ids(samples []Sample) []uint64 {
	all := make([]uint64, 0, len(samples))
	for _, s := range samples {
		all = append(all, s.ID)
	}
	return all
}

func TestTopWithoutAGroupHasOneRest(t *testing.T) {
	p := randomProfile(3)
	kept, rests := p.Top(5, inuseBytes, "")
	total := Profile{Samples: kept}
	sum := total.Total()
	if len(kept) != 5 || len(rests) != 1 || rests[0].Label != (Label{}) || rests[0].Samples != len(p.Samples)-5 {
		t.Fatalf("%d kept of %d, rests %v", len(kept), len(p.Samples), rests)
	}
	if sum.Add(rests[0].Values); sum != p.Total() {
		t.Errorf("kept and rest are %v, want %v", sum, p.Total())
	}
}

func TestTopOfFewSamplesIsAllOfThem(t *testing.T) {
	p := randomProfile(3)
	if kept, rests := p.Top(len(p.Samples), inuseBytes, ""); len(kept) != len(p.Samples) || rests != nil {
		t.Errorf("%d kept, rests %v", len(kept), rests)
	}
	if kept, rests := p.Top(-1, inuseBytes, ""); len(kept) != 0 || len(rests) != 1 {
		t.Errorf("a negative number keeps %d, rests %v", len(kept), rests)
	}
}

func TestTopOfEqualSamplesKeepsTheFirst(t *testing.T) {
	p := &Profile{Samples: make([]Sample, 9)}
	for i := range p.Samples {
		p.Samples[i] = Sample{ID: uint64(i + 1), Values: Values{InuseBytes: 5 - 10*int64(i%2)}}
	}
	kept, _ := p.Top(4, inuseBytes, "")
	if diff := cmp.Diff([]uint64{1, 2, 3, 4}, ids(kept)); diff != "" {
		t.Error(diff)
	}
}

func TestLeastNumberHasTheGreatestMagnitude(t *testing.T) {
	p := &Profile{Samples: []Sample{
		{ID: 1, Values: Values{InuseBytes: math.MaxInt64}}, {ID: 2, Values: Values{InuseBytes: math.MinInt64}},
	}}
	if kept, _ := p.Top(1, inuseBytes, ""); kept[0].ID != 2 {
		t.Errorf("kept %v", kept)
	}
}
