//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func TestStats(t *testing.T) {
	p := start(t, everything)
	take(t, p)
	stats := p.Stats()

	t.Run("String has a line for each counter, with name, value and sentence", func(t *testing.T) {
		lines := strings.Split(strings.TrimSuffix(stats.String(), "\n"), "\n")
		if len(lines) != len(stats) || len(stats) < 10 {
			t.Fatalf("%d lines for %d counters", len(lines), len(stats))
		}
		for i, c := range stats {
			fields := strings.Fields(lines[i])
			if fields[0] != c.Name || fields[1] != fmt.Sprint(c.Value) || !strings.HasSuffix(lines[i], c.Sentence) {
				t.Errorf("%q does not say %+v", lines[i], c)
			}
		}
	})

	t.Run("each counter has a name of one word, once, and a sentence of several", func(t *testing.T) {
		seen := make(map[string]bool)
		for _, c := range stats {
			if seen[c.Name] || len(strings.Fields(c.Name)) != 1 || len(strings.Fields(c.Sentence)) < 2 ||
				strings.Contains(c.Sentence, "\n") {
				t.Errorf("%+v", c)
			}
			seen[c.Name] = true
		}
	})

	t.Run("what there is no counter for is zero", func(t *testing.T) {
		if n := stats.Value("no_such_counter"); n != 0 {
			t.Error(n)
		}
	})

	t.Run("every loss of the profile is a counter too", func(t *testing.T) {
		small := cgoheap.Config{SampleBytes: 1, MaxDepth: 1, TableBytes: 8 << 20}
		p.Stop()
		p := start(t, small)
		profiletest.Leak(1000)
		taken := take(t, p)
		if p.Stats().Value("stacks_cut_depth") == 0 || !profiletest.HasComment(taken, "stacks_cut_depth", "more frames than are kept") {
			t.Errorf("%s\n%s", p.Stats(), strings.Join(taken.Comments, "\n"))
		}
	})
}
