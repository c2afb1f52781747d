//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// waiting starts a recording that looks at the loaded files only when the test asks for it.
func waiting(t *testing.T) *Recording {
	t.Helper()
	unwatched(t)
	return startWaiting(t, everything)
}

func (r *Recording) rows() (with, without int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.loaded.current {
		if m.waits() {
			without++
		} else {
			with++
		}
	}
	return with, without
}

func TestFilesThatWaitForRows(t *testing.T) {
	t.Run("a start makes no rows, and stacks are whole", func(t *testing.T) {
		r := waiting(t)
		if with, without := r.rows(); with != 0 || without < 3 {
			t.Errorf("%d files have rows, %d do not", with, without)
		}
		defer victim.Free(victim.Malloc(1006))
		s := snapshot(t, r)
		for _, sample := range s.Samples {
			if sample.BlockSize != 1006 {
				continue
			}
			if name := goFunction(sample.Frames[len(sample.Frames)-1]); name != "runtime.goexit" {
				t.Errorf("the stack ends in %q", name)
			}
			return
		}
		t.Error("the block is missing")
	})

	t.Run("many rules that are looked for in memory have rows made, once", func(t *testing.T) {
		r := waiting(t)
		main := r.loaded.current[0]
		start := uint64(main.Ranges[0].Start)
		for i := range uint64(layout.RowsWanted) {
			testonly.RuleAt(start + 16*i)
		}
		if value(t, r, "module_wakes") == 0 {
			t.Error("nobody asked for rows")
		}
		if !r.look() {
			t.Error("nothing was made")
		}
		if with, without := r.rows(); without != 0 {
			t.Errorf("%d files have rows, %d do not", with, without)
		}
		if r.look() {
			t.Error("something was made again")
		}
	})

	t.Run("rules are the same before and after", func(t *testing.T) {
		r := waiting(t)
		before := make(map[uint64]testonly.Rule)
		for _, m := range r.loaded.current {
			for at := m.Ranges[0].Start; at < m.Ranges[0].Limit; at += 509 {
				before[uint64(at)] = testonly.RuleAt(uint64(at))
			}
		}
		r.haveRows()
		for at, rule := range before {
			if got := testonly.RuleAt(at); got != rule {
				t.Fatalf("%#x had %v, has %v", at, rule, got)
			}
		}
	})

	t.Run("a file that may be closed has rows from the first look on", func(t *testing.T) {
		r := waiting(t)
		path := plugin(t)
		p := open(t, path)
		defer p.Close()
		r.look()
		for _, m := range r.loaded.current {
			if m.Path == path && (m.waits() || m.rows.Count == 0) {
				t.Errorf("%+v", m.rows)
			}
		}
	})
}

func TestAStartAsksTheLoaderForItsFilesOnce(t *testing.T) {
	asked := 0
	listImages = func() []cgo.Image {
		asked++
		return cgo.Images()
	}
	t.Cleanup(func() { listImages = cgo.Images })
	if r := start(t, everything); asked != 1 || len(r.loaded.current) < 3 {
		t.Errorf("it was asked %d times for %d files", asked, len(r.loaded.current))
	}
}
