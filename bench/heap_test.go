package bench

import (
	"io"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"testing"

	"github.com/grafana/pyroscope-go/godeltaprof"

	"github.com/cgoheap/cgoheap"
)

func init() { runtime.MemProfileRate = 0 } // only the tree must be recorded

// growTree makes the runtime record the stacks of the first n paths through the tree. MemProfileRate is 0 again
// afterwards, so that no contestant pays for its own allocations being recorded; its values are then not scaled.
func growTree(n int) {
	var grown sync.WaitGroup
	grown.Add(1)
	kept = slices.Grow(kept, n)
	go func() {
		defer grown.Done()
		runtime.MemProfileRate = 1
		for path := range n {
			branch[0](treeDepth, path)
		}
		runtime.MemProfileRate = 0
	}()
	grown.Wait()
	settle()
	runtime.GC()
	runtime.GC() // records are published after two collections
}

// settle lets every processor allocate: each notices a change of the rate only then, and may record that block.
func settle() {
	var settled sync.WaitGroup
	blocks := make([]*[64]byte, 16*runtime.GOMAXPROCS(0))
	for i := range blocks {
		settled.Go(func() {
			for range 100 {
				blocks[i] = new([64]byte)
				runtime.Gosched()
			}
		})
	}
	settled.Wait()
}

// startProfiler records almost no native memory, so that the profile is Go's heap.
func startProfiler(tb testing.TB) *cgoheap.Profiler {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1 << 40})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := profiler.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return profiler
}

// heapContestants all write the whole heap profile. godeltaprof's second and later profiles lack the allocations, which
// it writes as deltas, so only its first is equal in content.
func heapContestants(p *cgoheap.Profiler) []contestant {
	return []contestant{
		{"cgoheap, with Go's heap", func(w io.Writer) error { return p.Write(w, cgoheap.Selection{GoHeap: true}) }},
		{"runtime/pprof", func(w io.Writer) error { return pprof.Lookup("heap").WriteTo(w, 0) }},
		{"godeltaprof, first profile", func(w io.Writer) error { return godeltaprof.NewHeapProfiler().Profile(w) }},
	}
}

func TestHeapWritersWriteTheSame(t *testing.T) {
	growTree(2000)
	checkEqual(t, 2000, heapContestants(startProfiler(t)))
}

func BenchmarkHeap(b *testing.B) {
	growTree(100_000)
	contestants := heapContestants(startProfiler(b))
	checkEqual(b, 100_000, contestants)
	profiler := godeltaprof.NewHeapProfiler()
	if err := profiler.Profile(io.Discard); err != nil {
		b.Fatal(err)
	}
	contest(b, "Go's heap, 100,000 stacks of 30 frames", append(contestants, contestant{"godeltaprof, later ones", profiler.Profile}))
}
