package main

import "testing"

func TestARecordingThatHardlySamplesIsAnError(t *testing.T) {
	for _, c := range []struct {
		about   string
		samples uint64
		sample  int64
		blocks  int
		size    float64
		wrong   bool
	}{
		{"none of 500", 0, 512 << 10, 1_000_000, 264, true},
		{"it ended early", 200, 512 << 10, 1_000_000, 264, true},
		{"about as many as expected", 480, 512 << 10, 1_000_000, 264, false},
		{"too few are expected to tell", 0, 512 << 10, 100_000, 264, false},
		{"every block", 1000, 1, 1000, 264, false},
		{"a third of every block", 333, 1, 1000, 264, true},
		{"a large block counts once", 1000, 64 << 10, 1000, 64 << 20, false},
	} {
		if err := tooFew(c.samples, c.sample, c.blocks, c.size); (err != nil) != c.wrong {
			t.Errorf("%s: %v", c.about, err)
		}
	}
}
