//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
)

func TestStart(t *testing.T) {
	t.Run("a second one is ErrRunning, and the first goes on", func(t *testing.T) {
		p := start(t, everything)
		defer victim.Free(allocate(1000))
		if second, err := Start(everything); !errors.Is(err, ErrRunning) || second != nil {
			t.Errorf("%v, %v", second, err)
		}
		defer victim.Free(allocate(1000))
		if got, want := profiletest.Sum(profiletest.Through(take(t, p), "allocate")), [4]int64{2, 2000, 2, 2000}; got != want {
			t.Errorf("%v, want %v", got, want)
		}
	})

	t.Run("after a stop it begins afresh", func(t *testing.T) {
		first := start(t, everything)
		block := allocate(1000)
		if err := first.Stop(); err != nil {
			t.Fatal(err)
		}
		second := start(t, everything)
		victim.Free(block)
		if got := profiletest.Sum(profiletest.Through(take(t, second), "allocate")); got != [4]int64{} {
			t.Errorf("the new profile knows %v of the old one", got)
		}
		if n, was := second.Stats().Value("samples"), first.Stats().Value("samples"); n >= was+10 {
			t.Errorf("%d samples after %d", n, was)
		}
	})
}

func TestStop(t *testing.T) {
	t.Run("it may be called again, by several goroutines", func(t *testing.T) {
		p := start(t, everything)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	})

	t.Run("after it there are no profiles", func(t *testing.T) {
		p := start(t, everything)
		p.Stop()
		var written bytes.Buffer
		if err := p.WriteProfile(&written); err == nil || !strings.Contains(err.Error(), "stopped") || written.Len() != 0 {
			t.Errorf("%v, and %d bytes", err, written.Len())
		}
	})

	t.Run("after it the counters keep their values, whoever reads them", func(t *testing.T) {
		p := start(t, everything)
		victim.Free(allocate(1000))
		take(t, p)
		p.Stop()
		want := fmt.Sprint(p.Stats())
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if got := fmt.Sprint(p.Stats()); got != want {
					t.Errorf("%s\nbefore:\n%s", got, want)
				}
			})
		}
		group.Wait()
		if p.Stats().Value("frees") == 0 {
			t.Error("no block was counted as freed")
		}
	})
}

var errBroken = errors.New("the pipe is broken")

// brokenWriter takes left bytes.
type brokenWriter struct{ left int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, errBroken
	}
	w.left -= len(p)
	return len(p), nil
}

func TestWriteProfile(t *testing.T) {
	p := start(t, everything)
	block := allocate(1000)
	defer victim.Free(block)

	for _, left := range []int{0, 1, 100} {
		t.Run(fmt.Sprintf("the error of a writer that takes %d bytes comes back", left), func(t *testing.T) {
			if err := p.WriteProfile(&brokenWriter{left}); !errors.Is(err, errBroken) {
				t.Error(err)
			}
		})
	}

	t.Run("after a failure the next profile is whole", func(t *testing.T) {
		if n := len(profiletest.Through(take(t, p), "allocate")); n != 1 {
			t.Errorf("%d samples", n)
		}
	})
}

func TestSampleBytesAreChangedWhileRunning(t *testing.T) {
	p := start(t, Config{})
	var bad *FieldError
	if err := p.SetSampleBytes(-1); !errors.As(err, &bad) || bad.Field != "Config.SampleBytes" {
		t.Errorf("-1: %v", err)
	}
	if err := p.SetSampleBytes(4096); err != nil {
		t.Fatal(err)
	}
	if period := take(t, p).Period; period != 4096 {
		t.Errorf("the period is %d", period)
	}
	if err := p.SetSampleBytes(0); err != nil {
		t.Fatal(err)
	}
	if period := take(t, p).Period; period != defaultSampleBytes {
		t.Errorf("the period is %d", period)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := p.SetSampleBytes(1); err == nil {
		t.Error("after Stop, it is accepted")
	}
}

// Whoever reads the box knows a file without a build ID by what it was.
func TestFilesWithoutABuildIDAreNotedInTheBox(t *testing.T) {
	then := time.Unix(1_700_000_000, 5)
	got := unidentified([]mappings.Module{
		{Path: "/known", BuildID: "abc", Inode: 1},
		{Path: "[vdso]"},
		{Path: "/closed", Device: 2, Inode: 4},
		{Path: "/unknown", Device: 2, Inode: 3, Written: mappings.Written{Size: 4, Time: then}},
	})
	if want := (blackbox.LoadedFile{Path: "/unknown", Device: 2, Inode: 3, Size: 4, Modified: then.UnixNano()}); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v alone", got, want)
	}
}
