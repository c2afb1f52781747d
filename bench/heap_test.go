package bench

import (
	"io"
	"runtime"
	runtimepprof "runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	_ "unsafe" // for go:linkname

	"github.com/grafana/pyroscope-go/godeltaprof"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func init() { runtime.MemProfileRate = 0 } // nothing but the tree is to be recorded

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

// record is what the runtime keeps for one stack, as runtime/pprof gets it, from Go 1.23 to 1.26.
type record struct {
	allocBytes, freeBytes, allocObjects, freeObjects int64
	stack                                            []uintptr
}

//go:linkname memProfile runtime.pprof_memProfileInternal
func memProfile(p []record, inuseZero bool) (n int, ok bool)

func readRecords() []record {
	n, ok := memProfile(nil, true)
	var p []record
	for !ok || p == nil {
		p = make([]record, n+50)
		n, ok = memProfile(p, true)
	}
	return p[:n]
}

// sample is the record's values and block size as runtime/pprof writes them.
func (r *record) sample() stack.Sample {
	s := stack.Sample{Values: stack.Values{
		AllocObjects: r.allocObjects, AllocBytes: r.allocBytes,
		InuseObjects: r.allocObjects - r.freeObjects, InuseBytes: r.allocBytes - r.freeBytes,
	}}
	if r.allocObjects > 0 {
		s.BlockSize = r.allocBytes / r.allocObjects
	}
	return s
}

// place is where a return address stands in our profile: nowhere, for frames that Go's profiles do not show.
type place struct {
	id           pprof.LocationID
	inlined      int // how many of the addresses that follow are its inlined callers, which the location has as lines
	ofTheRuntime bool
}

type heapWriter struct {
	*pprof.Encoder
	main   *mappings.Module
	places map[uintptr]place
}

// writeHeap writes Go's own heap profile with the rooms of cgoheap: read, name, encode.
func writeHeap(w io.Writer) error {
	modules, err := mappings.Self()
	if err != nil {
		return err
	}
	h := heapWriter{main: &modules[0], places: map[uintptr]place{}}
	h.Encoder = pprof.NewEncoder(w, pprof.Header{Main: h.mapping(), SampleBytes: int64(runtime.MemProfileRate)})
	var frames []pprof.LocationID
	records := readRecords()
	for i := range records {
		frames = h.place(frames[:0], records[i].stack, true)
		if len(frames) == 0 { // all of it is the runtime
			frames = h.place(frames, records[i].stack, false)
		}
		sample := records[i].sample()
		if err := h.Sample(frames, &sample); err != nil {
			return err
		}
	}
	return h.Close()
}

// place appends the locations of a stack; without the runtime's frames at the leaf if they are to be hidden.
func (h *heapWriter) place(frames []pprof.LocationID, addresses []uintptr, hide bool) []pprof.LocationID {
	for len(addresses) > 0 {
		p, known := h.places[addresses[0]]
		if !known {
			p = h.name(addresses[0])
			h.places[addresses[0]] = p
		}
		hide = hide && p.ofTheRuntime
		if p.id != 0 && !hide {
			frames = append(frames, p.id)
		}
		addresses = addresses[min(1+p.inlined, len(addresses)):]
	}
	return frames
}

func (h *heapWriter) mapping() pprof.Mapping {
	return pprof.Mapping{File: h.main.Path, BuildID: h.main.BuildID}
}

func (h *heapWriter) name(returnAddress uintptr) place {
	address := mappings.RuntimeAddr(returnAddress - 1)
	l := pprof.Location{Mapping: h.mapping(), Address: uint64(h.main.ELFAddr(address))}
	for _, line := range symbolize.GoLines(address) {
		l.Lines = append(l.Lines, pprof.Line{
			Function: pprof.Function{
				Name: line.Function, SystemName: line.SystemName, File: line.File, StartLine: int64(line.StartLine),
			},
			Line: int64(line.Line),
		})
	}
	name := l.Lines[0].Function.Name
	if name == "runtime.goexit" {
		return place{}
	}
	ofTheRuntime := strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
	return place{h.Location(l), len(l.Lines) - 1, ofTheRuntime}
}

// heapContestants all write the whole heap profile. godeltaprof's second and later profiles lack the allocations, which
// it writes as deltas, so only its first is equal in content.
func heapContestants() []contestant {
	return []contestant{
		{"cgoheap rooms", writeHeap},
		{"runtime/pprof", func(w io.Writer) error { return runtimepprof.Lookup("heap").WriteTo(w, 0) }},
		{"godeltaprof, first profile", func(w io.Writer) error { return godeltaprof.NewHeapProfiler().Profile(w) }},
	}
}

func TestHeapWritersWriteTheSame(t *testing.T) {
	growTree(2000)
	checkEqual(t, 2000, heapContestants())
}

func BenchmarkHeap(b *testing.B) {
	growTree(100_000)
	contestants := heapContestants()
	checkEqual(b, 100_000, contestants)
	profiler := godeltaprof.NewHeapProfiler()
	if err := profiler.Profile(io.Discard); err != nil {
		b.Fatal(err)
	}
	contest(b, "Go's heap, 100,000 stacks of 30 frames", append(contestants, contestant{"godeltaprof, later ones", profiler.Profile}))
}
