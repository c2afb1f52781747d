package bench

import (
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

const (
	stackDepth    = 30
	locationCount = 5000
	blockSize     = 64
)

var library = pprof.Mapping{File: "/usr/lib/libservice.so.1", BuildID: "c0ffee"}

// encoding is the content of the first contest: named locations, and stacks of their indexes with values. Neighbours
// share most of their callers, as in a service.
type encoding struct {
	locations []pprof.Location
	stacks    [][stackDepth]int
}

func newEncoding(samples int) *encoding {
	c := &encoding{stacks: make([][stackDepth]int, samples)}
	for i := range locationCount {
		name := fmt.Sprintf("function_%d", i)
		c.locations = append(c.locations, pprof.Location{Mapping: library, Address: 0x1000 + uint64(i)*16, Lines: []pprof.Line{{
			Function: pprof.Function{Name: name, SystemName: "_Z" + name, File: fmt.Sprintf("file_%d.cc", i/10), StartLine: 10},
			Line:     int64(i),
		}}})
	}
	for i := range c.stacks {
		for depth := range stackDepth {
			c.stacks[i][depth] = (i>>(depth/2)*31 + depth*97) % locationCount
		}
	}
	return c
}

func (c *encoding) values(i int) stack.Values {
	n := int64(i)
	return stack.Values{AllocObjects: n, AllocBytes: n * blockSize, InuseObjects: n / 2, InuseBytes: n / 2 * blockSize}
}

// ours begins where google does: with named locations, and with stacks that must be converted to its format.
func (c *encoding) ours(compression pprof.Compression) func(io.Writer) error {
	return func(w io.Writer) error {
		e := pprof.NewEncoder(w, pprof.Header{Main: library, SampleBytes: 512 << 10, Compression: compression})
		ids := make([]pprof.LocationID, len(c.locations))
		for i := range c.locations {
			ids[i] = e.Location(c.locations[i])
		}
		var frames [stackDepth]pprof.LocationID
		for i := range c.stacks {
			for depth, location := range c.stacks[i] {
				frames[depth] = ids[location]
			}
			if err := e.Sample(frames[:], &stack.Sample{Values: c.values(i), BlockSize: blockSize}); err != nil {
				return err
			}
		}
		return e.Close()
	}
}

// google returns the same as an object of google/pprof, whose construction is not measured.
func (c *encoding) google() *profile.Profile {
	m := &profile.Mapping{ID: 1, File: library.File, BuildID: library.BuildID, Limit: math.MaxUint64, HasFunctions: true}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"},
		},
		DefaultSampleType: "inuse_space", PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10,
		Mapping: []*profile.Mapping{m},
	}
	for i, l := range c.locations {
		id, f := uint64(i+1), l.Lines[0].Function
		function := &profile.Function{ID: id, Name: f.Name, SystemName: f.SystemName, Filename: f.File, StartLine: f.StartLine}
		p.Function = append(p.Function, function)
		p.Location = append(p.Location, &profile.Location{
			ID: id, Mapping: m, Address: l.Address, Line: []profile.Line{{Function: function, Line: l.Lines[0].Line}},
		})
	}
	for i := range c.stacks {
		p.Sample = append(p.Sample, c.googleSample(p, i))
	}
	return p
}

func (c *encoding) googleSample(p *profile.Profile, i int) *profile.Sample {
	v := c.values(i)
	s := &profile.Sample{
		Value:    []int64{v.AllocObjects, v.AllocBytes, v.InuseObjects, v.InuseBytes},
		NumLabel: map[string][]int64{"bytes": {blockSize}}, NumUnit: map[string][]string{"bytes": {"bytes"}},
	}
	for _, location := range c.stacks[i] {
		s.Location = append(s.Location, p.Location[location])
	}
	return s
}

func (c *encoding) contestants() []contestant {
	return []contestant{
		{"cgoheap/pprof", c.ours(pprof.FastGzip)},
		{"cgoheap/pprof, gzip level 6", c.ours(6)},
		{"cgoheap/pprof, uncompressed", c.ours(pprof.Uncompressed)},
		{"google/pprof Profile.Write", c.google().Write},
	}
}

func TestEncodersWriteTheSame(t *testing.T) {
	checkEqual(t, 2000, newEncoding(2000).contestants())
}

func BenchmarkEncoder(b *testing.B) {
	contestants := newEncoding(100_000).contestants()
	checkEqual(b, 100_000, contestants)
	contest(b, "100,000 samples of 30 frames, from named locations", contestants)
}
