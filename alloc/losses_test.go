//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func TestBytesInCutStacks(t *testing.T) {
	unwatched(t)
	unmet(t)
	r := start(t, everything)
	p := open(t, plugin(t))
	defer p.Close()
	block := p.Call("plugin_malloc", 64<<20)
	freed := p.Call("plugin_malloc", 32<<20)
	victim.Free(freed)
	s := snapshot(t, r)

	t.Run("are reported in the profile, with their share of all", func(t *testing.T) {
		l := loss(s.Losses, "bytes_cut_no_module")
		if l.Count < 64<<20 || l.Count > 65<<20 {
			t.Errorf("%d %s", l.Count, l.Sentence)
		}
		all := total(s.Samples)
		want := fmt.Sprintf("%.1f %% of all", 100*float64(l.Count)/float64(all.InuseBytes))
		if !strings.Contains(l.Sentence, want) || !strings.Contains(l.Sentence, "allocated") {
			t.Errorf("%q is not in %q", want, l.Sentence)
		}
	})

	t.Run("are reported in the profile of ages too", func(t *testing.T) {
		var s *Snapshot
		for s = agesNow(t, r); total(s.Samples).InuseBytes < 64<<20; s = agesNow(t, r) {
			time.Sleep(cgo.Tick) // the youngest blocks are not in it
		}
		if l := loss(s.Losses, "bytes_cut_no_module"); l.Count < 64<<20 || l.Count > 65<<20 {
			t.Errorf("%d %s", l.Count, l.Sentence)
		}
	})

	t.Run("are reported in the counters, zeroes too", func(t *testing.T) {
		before := loss(r.Counters(), "bytes_cut_no_module").Count
		victim.Free(block)
		after := loss(r.Counters(), "bytes_cut_no_module").Count
		if before < 64<<20 || after > 1<<20 {
			t.Errorf("%d bytes became %d", before, after)
		}
		if l := loss(r.Counters(), "bytes_cut_stopped"); l.Sentence == "" || l.Count != 0 {
			t.Errorf("%+v", l)
		}
	})
}

func total(samples []stack.Sample) (all stack.Values) {
	for i := range samples {
		all.Add(samples[i].Values)
	}
	return all
}

func agesNow(t *testing.T, r *Recording) *Snapshot {
	t.Helper()
	s, err := r.AgesIn(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func loss(list []stack.Loss, name string) stack.Loss {
	for _, l := range list {
		if l.Name == name {
			return l
		}
	}
	return stack.Loss{}
}
