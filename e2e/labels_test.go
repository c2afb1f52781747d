package e2e

import (
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/e2e/truth"
)

func TestEverySampleHasTheLabelsOfItsGoroutineAndThread(t *testing.T) {
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			r := b.exact(t, "-labels")
			name := r.namer(t, b)
			compare(t, r.truth, bySite(r.profile, name))

			ways := make(map[string]bool)
			for _, sample := range r.profile.Sample {
				want := truth.Way(ours(name.stack(sample)))
				if got := strings.Join(sample.Label["way"], " "); got != want {
					t.Errorf("the label is %q, want %q at\n%s", got, want, indented(name.stack(sample)))
				}
				if len(sample.Label["thread"]) != 1 {
					t.Errorf("names of threads: %q", sample.Label["thread"])
				}
				ways[want] = true
			}
			if len(ways) < 7 {
				t.Errorf("only %d ways", len(ways))
			}
		})
	}
}

func TestNoSampleHasLabelsThatWereNotAskedFor(t *testing.T) {
	for _, sample := range plain.exact(t).profile.Sample {
		if len(sample.Label) > 0 {
			t.Fatalf("%v", sample.Label)
		}
	}
}
