package standin

import (
	"io"
	"slices"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// InUseBytes is in use in every profile.
const InUseBytes = 1 << 20

// Unnamed is a file in which Profiler has a location without a name.
var Unnamed = pprof.Mapping{File: "/lib/stripped.so", BuildID: "aabbccdd"}

// Profiler writes profiles of which each has one more block in its delta than the one before: the first 1, the second 2.
// So profiles that were not sent can be distinguished from those that were.
type Profiler struct {
	Before func(n int) error // called before profile n, from 1, is written; Write returns its error
	Filler int               // the number of additional samples, with stacks of their own

	mu         sync.Mutex
	written    int
	selections []cgoheap.Selection
	baseline   cgoheap.Baseline
	reads      []*func() []cgoheap.Metric
}

// Baseline returns the profiler's only one. Nothing can be compared with it.
func (p *Profiler) Baseline() (*cgoheap.Baseline, error) { return &p.baseline, nil }

// Write writes the next profile. One that w does not take is written again, as a Baseline would not have advanced.
func (p *Profiler) Write(w io.Writer, s cgoheap.Selection) error {
	p.mu.Lock()
	p.selections = append(p.selections, s)
	n := p.written + 1
	p.mu.Unlock()
	if p.Before != nil {
		if err := p.Before(n); err != nil {
			return err
		}
	}
	if err := p.profile(w, int64(n)); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written = n
	return nil
}

// Written returns how many profiles were written whole.
func (p *Profiler) Written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written
}

// Selections returns the selections that profiles were requested with.
func (p *Profiler) Selections() []cgoheap.Selection {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]cgoheap.Selection(nil), p.selections...)
}

func (p *Profiler) profile(w io.Writer, n int64) error {
	main := pprof.Mapping{File: "/bin/shop", BuildID: "00112233"}
	e := pprof.NewEncoder(w, pprof.Header{
		Main: main, SampleBytes: 512 << 10, Time: time.Now(), Duration: 15 * time.Second,
		Comments: []string{"a comment"},
	})
	named := e.Location(pprof.Location{Mapping: main, Address: 0x1000, Lines: []pprof.Line{
		{Function: pprof.Function{Name: "leak", SystemName: "_Z4leakv", File: "leak.cc"}, Line: 7},
	}})
	unnamed := e.Location(pprof.Location{Mapping: Unnamed, Address: 0x2000})
	for i, s := range []stack.Sample{
		{BlockSize: 64, Values: stack.Values{InuseObjects: 1, InuseBytes: InUseBytes / 2}, Labels: heap("native")},
		{BlockSize: 96, Values: stack.Values{InuseObjects: 1, InuseBytes: InUseBytes / 2}, Labels: heap("native")},
		{BlockSize: 96, Values: stack.Values{AllocObjects: n, AllocBytes: 96 * n}, Labels: heap("go")},
	} {
		_ = e.Sample([]pprof.LocationID{named, unnamed}[:1+i%2], &s) // Close returns it
	}
	for i := range p.Filler {
		l := e.Location(pprof.Location{Mapping: main, Address: 0x10000 + uint64(i)*0x9e37, Lines: []pprof.Line{
			{Function: pprof.Function{Name: filler(i)}},
		}})
		_ = e.Sample([]pprof.LocationID{l}, &stack.Sample{Values: stack.Values{InuseObjects: 1, InuseBytes: int64(i)}})
	}
	return e.Close()
}

func heap(name string) []stack.Label { return []stack.Label{{Key: "heap", Text: name}} }

// filler is a name that does not compress well.
func filler(i int) string {
	name := make([]byte, 16)
	state := uint32(i)*2654435761 + 1
	for j := range name {
		state = state*1664525 + 1013904223
		name[j] = 'a' + byte(state>>24)%26
	}
	return string(name)
}

// AddMetrics keeps the metrics of an exporter, as the real one does.
func (p *Profiler) AddMetrics(_ string, read func() []cgoheap.Metric) (remove func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads = append(p.reads, &read)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reads = slices.DeleteFunc(p.reads, func(other *func() []cgoheap.Metric) bool { return other == &read })
	}
}

// Metrics returns those that were added.
func (p *Profiler) Metrics() (list []cgoheap.Metric) {
	p.mu.Lock()
	reads := slices.Clone(p.reads)
	p.mu.Unlock()
	for _, read := range reads {
		list = append(list, (*read)()...)
	}
	return list
}
