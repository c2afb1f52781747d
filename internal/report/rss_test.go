package report

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/stack"
)

func using(bytes ...int64) (samples []stack.Sample) {
	for _, n := range bytes {
		samples = append(samples, stack.Sample{Values: stack.Values{InuseObjects: 1, InuseBytes: n}})
	}
	return samples
}

func TestSamplesShrinkByOneFactor(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		samples := using(random.Int64N(1<<40), 0, random.Int64N(1<<20), random.Int64N(1<<50), random.Int64N(3))
		before, total := append([]stack.Sample(nil), samples...), int64(0)
		for _, s := range samples {
			total += s.InuseBytes
		}
		most := random.Int64N(total + total/2 + 1)
		if sum := shrink(samples, most); sum != min(total, most) {
			t.Fatalf("%d shrunk to at most %d: %d", total, most, sum)
		}
		for i, s := range samples {
			exact := new(big.Int).Mul(big.NewInt(before[i].InuseBytes), big.NewInt(min(most, total)))
			exact.Div(exact, big.NewInt(total))
			if off := s.InuseBytes - exact.Int64(); off < -1 || off > 1 {
				t.Fatalf("%d of %d, shrunk to at most %d: %d, want %v", before[i].InuseBytes, total, most, s.InuseBytes, exact)
			}
		}
	}
}

// pinnedID is the ID of samples of pinned memory in these tests.
const pinnedID = 7

func pinnedOf(bytes int64) []stack.Sample {
	list := using(bytes)
	list[0].ID = pinnedID
	return list
}

func labelled(kind string, bytes int64) []stack.Sample {
	list := using(bytes)
	list[0].Labels = []stack.Label{{Key: "kind", Text: kind}}
	return list
}

func TestLinesKeepTheirTotals(t *testing.T) {
	line := func(name string, bytes int64) account.Line {
		return account.Line{Name: name, Size: account.Size{Resident: bytes}}
	}
	for about, c := range map[string]struct {
		native, golang []stack.Sample
		mapped         map[string][]stack.Sample
		lines          []account.Line
		leaves         []Leaf
		totals         [3]int64 // of the samples afterwards
	}{
		"what has no stack is a leaf of its line": {using(10, 20), using(30, 40), map[string][]stack.Sample{account.Files: using(3, 1), account.Shared: using(9)},
			[]account.Line{line(account.GoObjects, 100), line(account.Native, 30), line(account.Files, 7)},
			[]Leaf{{Name: account.GoObjects, Group: "go", Values: stack.Values{InuseBytes: 30}}, {Name: account.Files, Group: "mapped", Values: stack.Values{InuseBytes: 3}}},
			[3]int64{30, 70, 4}},
		"stacks with more than their line are made smaller": {using(10, 20), using(30, 40), map[string][]stack.Sample{account.Files: using(3, 1), account.Shared: using(9)},
			[]account.Line{line(account.GoObjects, 7), line(account.Native, 15)}, nil, [3]int64{15, 7, 0}},
		"pinned memory has a line of its own": {append(pinnedOf(50), using(10, 20)...), nil, nil,
			[]account.Line{line(account.Native, 15), line(account.Pinned, 60)},
			[]Leaf{{Name: account.Pinned, Group: "native", Values: stack.Values{InuseBytes: 10}}}, [3]int64{65, 0, 0}},
		"a label of the program's own makes no memory pinned": {labelled("cuda pinned", 50), nil, nil,
			[]account.Line{line(account.Native, 70), line(account.Pinned, 60)},
			[]Leaf{{Name: account.Native, Group: "native", Values: stack.Values{InuseBytes: 20}}, {Name: account.Pinned, Group: "native", Values: stack.Values{InuseBytes: 60}}},
			[3]int64{50, 0, 0}},
		"lines that are not there leave nothing": {using(10), using(30), map[string][]stack.Sample{account.MappedBy: using(9)},
			[]account.Line{line(account.Free, 15)},
			[]Leaf{{Name: account.Free, Group: "native", Values: stack.Values{InuseBytes: 15}}}, [3]int64{0, 0, 0}},
	} {
		t.Run(about, func(t *testing.T) {
			r := Resident{Native: c.native, Go: c.golang, Mapped: c.mapped, Pinned: func(s *stack.Sample) bool { return s.ID == pinnedID }}
			leaves := r.Fit(&account.Account{Lines: c.lines})
			if diff := cmp.Diff(c.leaves, leaves); diff != "" {
				t.Error(diff)
			}
			if got := [3]int64{total(r.Native), total(r.Go), total(r.Calls())}; got != c.totals {
				t.Errorf("%v in the samples, want %v", got, c.totals)
			}
		})
	}
}

func total(samples []stack.Sample) int64 {
	p := stack.Profile{Samples: samples}
	return p.Total().InuseBytes
}
