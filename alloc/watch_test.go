//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
)

// patient has a look without a change followed by a pause that no test outlives.
func patient(t *testing.T) {
	before := longer
	longer = func(time.Duration) time.Duration { return time.Hour }
	t.Cleanup(func() { longer = before })
}

// startCounting starts a recording that counts how often it reads the list of loaded files.
func startCounting(t *testing.T) (*Recording, *atomic.Int32) {
	t.Helper()
	reads, o := new(atomic.Int32), everything
	o.Modules = func() ([]mappings.Module, error) {
		reads.Add(1)
		return mappings.Self()
	}
	return start(t, o), reads
}

func TestLibrariesAreKnownSoonAfterCodeMadeAtRunTime(t *testing.T) {
	patient(t)
	r, reads := startCounting(t)
	code, _ := victim.NewJIT(0, false)
	defer code.Drop()
	before := reads.Load()
	defer victim.Free(code.Malloc(1004))
	eventually(t, "a look was in vain", func() bool { return reads.Load() > before })
	defer victim.Free(code.Malloc(1005)) // asks for another, in an hour
	path := plugin(t)
	p := open(t, path)
	defer p.Close()
	defer victim.Free(early(p))
	eventually(t, "the library was known", func() bool { return r.knows(path) })
}

// looks makes a watch whose looks find nothing, and returns what counts them and what a sample does to ask for one.
func looks(t *testing.T, opened func() bool) (count *atomic.Int32, ask func(cgo.Reason)) {
	t.Helper()
	unwatched(t)
	count = new(atomic.Int32)
	w := newWatch(func() bool { count.Add(1); return false }, opened, func(err error) { t.Error(err) })
	t.Cleanup(func() {
		w.close()
		w.task.End()
	})
	return count, w.ask
}

func TestWatch(t *testing.T) {
	const unknown = cgo.WakeUnknown
	t.Run("libraries that were opened are looked for at once, unknown code after its pause", func(t *testing.T) {
		patient(t)
		count, ask := looks(t, nil)
		ask(unknown)
		eventually(t, "the first look", func() bool { return count.Load() == 1 })
		ask(unknown)
		ask(cgo.WakeLoaded)
		eventually(t, "the second look", func() bool { return count.Load() == 2 })
		ask(unknown)
		time.Sleep(5 * shortestPause)
		if n := count.Load(); n != 2 {
			t.Errorf("%d looks, want 2", n)
		}
	})

	t.Run("unknown code is looked for again after its pause", func(t *testing.T) {
		count, ask := looks(t, nil)
		for n := int32(1); n < 4; n++ {
			ask(unknown)
			eventually(t, "one more look", func() bool { return count.Load() == n })
		}
	})

	t.Run("where samples do not notice libraries, unknown code has the loader asked", func(t *testing.T) {
		patient(t)
		var opened atomic.Bool
		count, ask := looks(t, opened.Load)
		ask(unknown)
		eventually(t, "the first look", func() bool { return count.Load() == 1 })
		ask(unknown)
		opened.Store(true)
		eventually(t, "the second look", func() bool { return count.Load() == 2 })
	})
}

func TestALookInVainDoublesThePause(t *testing.T) {
	unwatched(t)
	w := newWatch(func() bool { return false }, nil, func(err error) { t.Error(err) })
	defer w.task.End()
	defer w.close()
	for _, c := range []struct {
		changed bool
		want    time.Duration
	}{
		{false, 2 * shortestPause}, {false, 4 * shortestPause}, {true, shortestPause}, {false, 2 * shortestPause},
	} {
		if w.looked(c.changed); w.pause != c.want {
			t.Errorf("a pause of %v after a look that found a change: %t, want %v", w.pause, c.changed, c.want)
		}
	}
	for range 10 {
		w.looked(false)
	}
	if w.pause != longestPause {
		t.Errorf("a pause of %v after many looks in vain, want %v", w.pause, longestPause)
	}
}

func TestPanicOfTheWatchIsReportedAndItGoesOn(t *testing.T) {
	o := everything
	var reads, reports atomic.Int32
	o.Failed = func(err error) {
		if !strings.Contains(err.Error(), "boom") {
			t.Error(err)
		}
		reports.Add(1)
	}
	o.Modules = func() ([]mappings.Module, error) {
		if n := reads.Add(1); n > 1 && n < 4 {
			panic("boom")
		}
		return mappings.Self()
	}
	path := plugin(t)
	r := startWaiting(t, o)
	p := open(t, path)
	defer p.Close()
	eventually(t, "the library was known", func() bool {
		victim.Free(early(p))
		return r.knows(path)
	})
	if n := reports.Load(); n != 2 {
		t.Errorf("%d panics were reported, want 2", n)
	}
}
