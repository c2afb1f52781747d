//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/check"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// everything records every allocation.
var everything = Config{SampleBytes: 1, TableBytes: 64 << 20}

// start begins to record until the end of the test.
func start(t *testing.T, c Config) *Profiler {
	t.Helper()
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// take reads a profile back.
func take(t *testing.T, p *Profiler) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	if err := p.WriteProfile(&written); err != nil {
		t.Fatal(err)
	}
	return parse(t, &written)
}

// parse reads a profile and has it judged by our own rules and by google/pprof's.
func parse(t *testing.T, r io.Reader) *profile.Profile {
	t.Helper()
	var copied bytes.Buffer
	faults, err := check.Profile(io.TeeReader(r, &copied))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if f.Severity == check.Error {
			t.Error(f)
		}
	}
	p, err := profile.Parse(io.MultiReader(&copied, r))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// through are the samples whose stacks the Go function of this package is in.
func through(p *profile.Profile, function string) []*profile.Sample {
	var found []*profile.Sample
	for _, s := range p.Sample {
		for _, name := range functions(s) {
			if name == "github.com/cgoheap/cgoheap."+function {
				found = append(found, s)
				break
			}
		}
	}
	return found
}

// functions of a stack, leaf first.
func functions(s *profile.Sample) []string {
	var names []string
	for _, l := range s.Location {
		for _, line := range l.Line {
			names = append(names, line.Function.Name)
		}
	}
	return names
}

func values(samples []*profile.Sample) [4]int64 {
	var sum [4]int64
	for _, s := range samples {
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	return sum
}

func hasComment(p *profile.Profile, parts ...string) bool {
	for _, c := range p.Comments {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(c, part)
		}
		if all {
			return true
		}
	}
	return false
}

//go:noinline
func allocate(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

func TestStart(t *testing.T) {
	t.Run("a second one is ErrRunning, and the first goes on", func(t *testing.T) {
		p := start(t, everything)
		defer victim.Free(allocate(1000))
		if second, err := Start(everything); !errors.Is(err, ErrRunning) || second != nil {
			t.Errorf("%v, %v", second, err)
		}
		defer victim.Free(allocate(1000))
		if got, want := values(through(take(t, p), "allocate")), [4]int64{2, 2000, 2, 2000}; got != want {
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
		if got := values(through(take(t, second), "allocate")); got != [4]int64{} {
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
		if n := len(through(take(t, p), "allocate")); n != 1 {
			t.Errorf("%d samples", n)
		}
	})

	t.Run("a block's size is a label, unless its stack has too many sizes", func(t *testing.T) {
		var blocks []unsafe.Pointer
		for size := range uintptr(300) {
			blocks = append(blocks, allocateOfManySizes(size))
		}
		taken := take(t, p)
		for _, block := range blocks {
			victim.Free(block)
		}
		unlabelled := 0
		for _, s := range through(taken, "allocateOfManySizes") {
			switch size := s.NumLabel["bytes"]; {
			case len(size) == 0:
				unlabelled++
				if s.Value[0] != 300-16 {
					t.Errorf("%d blocks have no size", s.Value[0])
				}
			case s.Value[0] != 1 || s.Value[1] != size[0]:
				t.Errorf("a block of %d bytes has the values %v", size[0], s.Value)
			}
		}
		if unlabelled != 1 {
			t.Errorf("%d samples have no size", unlabelled)
		}
	})
}

//go:noinline
func allocateOfManySizes(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

func TestSampleBytesAreChangedWhileRunning(t *testing.T) {
	p := start(t, Config{})
	var bad *ConfigError
	if err := p.SetSampleBytes(-1); !errors.As(err, &bad) || bad.Field != "SampleBytes" {
		t.Errorf("-1 gives %v", err)
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
