package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/grafana/pyroscope-go/godeltaprof"

	"github.com/cgoheap/cgoheap/internal/goheap"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// treeLeaf is the function of the tree that allocates.
const treeLeaf = "github.com/cgoheap/cgoheap/bench.leaf"

// stackKey distinguishes samples; line numbers and addresses are left to the tests of package goheap.
func stackKey(functions []string, blockSize int64) string {
	return fmt.Sprint(blockSize, " ", strings.Join(functions, " "))
}

// theirTree adds up, stack by stack, what godeltaprof's profiler writes for the tree.
func theirTree(t *testing.T, profiler *godeltaprof.HeapProfiler) map[string]stack.Values {
	t.Helper()
	var written bytes.Buffer
	if err := profiler.Profile(&written); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&written)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]stack.Values{}
	for _, s := range p.Sample {
		var functions []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				functions = append(functions, line.Function.Name)
			}
		}
		add(sums, functions, s.NumLabel["bytes"][0], stack.Values{
			AllocObjects: s.Value[0], AllocBytes: s.Value[1], InuseObjects: s.Value[2], InuseBytes: s.Value[3],
		})
	}
	return sums
}

// ourTree does the same with our samples.
func ourTree(t *testing.T, samples []stack.Sample) map[string]stack.Values {
	t.Helper()
	sums := map[string]stack.Values{}
	for _, s := range samples {
		var functions []string
		for _, f := range s.Frames {
			for _, line := range symbolize.GoLines(mappings.RuntimeAddr(f.Address())) {
				functions = append(functions, line.Function)
			}
		}
		add(sums, functions, s.BlockSize, s.Values)
	}
	return sums
}

func add(sums map[string]stack.Values, functions []string, blockSize int64, values stack.Values) {
	if len(functions) == 0 || functions[0] != treeLeaf {
		return
	}
	key := stackKey(functions, blockSize)
	sum := sums[key]
	sum.Add(values)
	sums[key] = sum
}

// isNear allows for rounding: godeltaprof scales the difference of two counts, we subtract two scaled counts.
func isNear(a, b stack.Values, rounding int64) bool {
	near := func(a, b int64) bool { return max(a-b, b-a) <= rounding }
	return near(a.AllocObjects, b.AllocObjects) && near(a.AllocBytes, b.AllocBytes) &&
		near(a.InuseObjects, b.InuseObjects) && near(a.InuseBytes, b.InuseBytes)
}

func TestDeltasOfGosHeapAreThoseOfGodeltaprof(t *testing.T) {
	for _, rate := range []int{0, 100, 4096} {
		t.Run(fmt.Sprint("rate ", rate), func(t *testing.T) {
			checkDeltas(t, rate)
		})
	}
}

// checkDeltas compares three profiles at a rate at which the tree's records are scaled, though all of it was recorded.
func checkDeltas(t *testing.T, rate int) {
	t.Helper()
	profiler := godeltaprof.NewHeapProfiler()
	baseline := stack.NewBaseline(&stack.Profile{})
	for round := range 3 {
		growTree(500 * (round + 1))
		clear(kept[:len(kept)/5])
		runtime.GC()
		runtime.GC()
		runtime.MemProfileRate = rate
		theirs, read := theirTree(t, profiler), goheap.Read(func(uintptr) stack.ModuleID { return 1 })
		runtime.MemProfileRate = 0
		delta := baseline.Delta(&read)
		baseline.Advance(&read)
		compareTrees(t, theirs, ourTree(t, delta.Samples), rate)
	}
}

func compareTrees(t *testing.T, theirs, ours map[string]stack.Values, rate int) {
	t.Helper()
	var rounding int64
	if rate > 1 {
		rounding = 1
	}
	var total stack.Values
	for key, values := range theirs {
		if total.Add(values); !isNear(values, ours[key], rounding) {
			t.Fatalf("%v, want %v, of %s", ours[key], values, key)
		}
	}
	if len(ours) != len(theirs) || len(ours) < 100 || total.AllocObjects == 0 || total.AllocObjects == total.InuseObjects {
		t.Errorf("%d stacks, want %d, with %v in all", len(ours), len(theirs), total)
	}
}

//go:noinline
func generic[T any]() { kept = append(kept, make([]byte, 1<<20)) }

// genericName returns the profile's name of the function generic.
func genericName(t *testing.T, options godeltaprof.ProfileOptions) string {
	t.Helper()
	var written bytes.Buffer
	if err := godeltaprof.NewHeapProfilerWithOptions(options).Profile(&written); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&written)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Function {
		if strings.Contains(f.Name, "bench.generic[") {
			return f.Name
		}
	}
	t.Fatal("it is not there")
	return ""
}

// ownProcess is set in a process that runs only one test. The other tests need a process in which only the tree is recorded.
const ownProcess = "CGOHEAP_OWN_PROCESS"

func TestGenericFunctionsAreNamedAsByGodeltaprof(t *testing.T) {
	if os.Getenv(ownProcess) == "" {
		alone := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		alone.Env = append(os.Environ(), ownProcess+"=1")
		if output, err := alone.CombinedOutput(); err != nil || !bytes.Contains(output, []byte("--- PASS: "+t.Name())) {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	runtime.MemProfileRate = 1
	generic[int]()
	runtime.MemProfileRate = 0
	runtime.GC()
	runtime.GC()
	modules, err := mappings.Self()
	if err != nil {
		t.Fatal(err)
	}
	for style, options := range map[symbolize.Style]godeltaprof.ProfileOptions{
		symbolize.Templates: {GenericsFrames: true},
		symbolize.Short:     {GenericsFrames: false},
	} {
		want, found := genericName(t, options), false
		names := symbolize.New(symbolize.Options{Style: style})
		for _, s := range goheap.Read(func(uintptr) stack.ModuleID { return 1 }).Samples {
			for _, f := range s.Frames {
				address := []mappings.ELFAddr{modules[0].ELFAddr(mappings.RuntimeAddr(f.Address()))}
				for _, line := range names.Resolve(&modules[0], address)[0].Lines {
					found = found || line.Function == want
				}
			}
		}
		if !found {
			t.Errorf("style %d: no function %s", style, want)
		}
	}
}
