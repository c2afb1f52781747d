//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// everything records every allocation, and keeps what it needs for that in modest tables.
var everything = Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 64 << 20}

// rounds returns how often to repeat what is done n times when all tests run: make test does a quarter of it.
func rounds(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// start begins a recording that ends with the test.
func start(t *testing.T, o Options) *Recording {
	t.Helper()
	r := startWaiting(t, o)
	r.haveRows()
	return r
}

// startWaiting leaves files without rows, as Start does.
func startWaiting(t *testing.T, o Options) *Recording {
	t.Helper()
	r, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, r) })
	return r
}

// haveRows makes the rows of all files now, as after many samples: tests count what tables take.
func (r *Recording) haveRows() {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&cgo.Region()[layout.HeaderAsked])), layout.RowsWanted)
	r.look()
}

func stop(t *testing.T, r *Recording) {
	t.Helper()
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}

func snapshot(t *testing.T, r *Recording) *Snapshot {
	t.Helper()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// through are the samples whose stacks the Go function of this package is in.
func (s *Snapshot) through(function string) []stack.Sample {
	var found []stack.Sample
	in := make(map[stack.Frame]bool)
	for _, sample := range s.Samples {
		if slices.ContainsFunc(sample.Frames, func(f stack.Frame) bool {
			is, known := in[f]
			if !known {
				is = strings.HasSuffix(goFunction(f), "/alloc."+function)
				in[f] = is
			}
			return is
		}) {
			found = append(found, sample)
		}
	}
	return found
}

// goFunction is the Go function that a frame is in, whatever was inlined into it; "" for other code.
func goFunction(frame stack.Frame) string {
	inlined := runtime.FuncForPC(uintptr(frame.Address()))
	if inlined == nil {
		return ""
	}
	return runtime.FuncForPC(inlined.Entry()).Name()
}

func sum(samples []stack.Sample) stack.Values {
	p := stack.Profile{Samples: samples}
	return p.Total()
}

// value of one of the recording's counters.
func value(t *testing.T, r *Recording, name string) uint64 {
	t.Helper()
	for _, c := range r.Counters() {
		if c.Name == name {
			return c.Count
		}
	}
	t.Fatalf("there is no counter %s", name)
	return 0
}

// eventually waits until it is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// plugin builds a library of its own for the test.
func plugin(t *testing.T, flags ...string) string {
	t.Helper()
	return library(t, "plugin", flags...)
}

// library builds a library of the victim's.
func library(t *testing.T, name string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".so")
	arguments := append(flags, "-O2", "-fPIC", "-shared", "-o", path, "../internal/victim/testdata/"+name+".c")
	toolchain.Target(t).Build(t, "gcc", arguments...)
	return path
}

func open(t *testing.T, path string) victim.Plugin {
	t.Helper()
	p, err := victim.OpenPlugin(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// functionOf is the symbol of the library that covers a frame's ELF address; "" if none does or the frame has another
// module.
func (s *Snapshot) functionOf(t *testing.T, f stack.Frame, library string) string {
	t.Helper()
	m := s.Module(f.Module())
	if m == nil || m.Path != library {
		return ""
	}
	symbols := toolchain.Symbols(t, library)
	at := f.Address() - m.Bias
	for _, symbol := range symbols {
		if at >= symbol.Value && at < symbol.Value+symbol.Size {
			return symbol.Name
		}
	}
	return ""
}
