package stack

import "testing"

func TestContentsWithOneHashAreToldApart(t *testing.T) {
	a, b, c := Sample{Frames: []Frame{1}}, Sample{Frames: []Frame{2}}, Sample{Frames: []Frame{3}}
	d := distinct{samples: []Sample{a, b}, index: map[uint64]int{contentHash(&c): 0, contentHash(&c) + 1: 1}}
	if d.find(&c) != nil {
		t.Fatal("found what is not there")
	}
	for range 2 {
		added := c
		added.InuseBytes = 5
		d.add(added)
	}
	if got := d.find(&c); len(d.samples) != 3 || got == nil || got.InuseBytes != 10 || got.Frames[0] != 3 {
		t.Errorf("%v in %v", got, d.samples)
	}
}

func TestContentIsFramesAndBlockSizeAndLabels(t *testing.T) {
	labels := func(l ...Label) []Label { return l }
	different := []Sample{
		{},
		{BlockSize: 1},
		{Frames: []Frame{0}},
		{Frames: []Frame{1}},
		{Frames: []Frame{0, 1}},
		{Frames: []Frame{1, 0}},
		{Labels: labels(Label{Key: "ab", Text: "c"})},
		{Labels: labels(Label{Key: "a", Text: "bc"})},
		{Labels: labels(Label{Key: "a", Number: 1, Unit: "bytes"})},
		{Labels: labels(Label{Key: "a", Number: 2, Unit: "bytes"})},
		{Labels: labels(Label{Key: "a", Number: 1, Unit: "seconds"})},
		{Labels: labels(Label{Key: "a"}, Label{Key: "b"})},
	}
	hashes := map[uint64]bool{}
	for i := range different {
		hashes[contentHash(&different[i])] = true
	}
	if len(hashes) != len(different) {
		t.Errorf("%d hashes of %d contents", len(hashes), len(different))
	}
	if got := fold(append(different, different...)); len(got) != len(different) {
		t.Errorf("%d of %d are left", len(got), len(different))
	}
}
