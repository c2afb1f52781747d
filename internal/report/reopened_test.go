package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Libraries 1 and 2 are one file, which was loaded twice, and 3 is another.
func reopening() *Report {
	modules := map[stack.ModuleID]*mappings.Module{
		1: {Path: "/lib/plugin.so", BuildID: "ab", Bias: 0x10000}, 2: {Path: "/lib/plugin.so", BuildID: "ab", Bias: 0x90000},
		3: {Path: "/lib/plugin.so", BuildID: "cd", Bias: 0x50000},
	}
	r := &Report{Names: symbolize.New(symbolize.Options{}), Module: func(id stack.ModuleID) *mappings.Module { return modules[id] }}
	r.Header = pprof.Header{SampleBytes: 1, Compression: pprof.Uncompressed}
	for _, at := range []struct {
		module        stack.ModuleID
		address, size int64
		tenant        string
	}{{1, 0x10123, 100, ""}, {2, 0x90123, 100, ""}, {3, 0x50123, 100, ""}, {2, 0x90456, 100, ""}, {2, 0x90123, 200, ""}, {1, 0x10123, 100, "t"}, {2, 0x90123, 100, ""}} {
		s := stack.Sample{BlockSize: at.size, Frames: []stack.Frame{stack.NewFrame(at.module, uint64(at.address))}}
		if at.tenant != "" {
			s.Labels = []stack.Label{{Key: "tenant", Text: at.tenant}}
		}
		s.InuseObjects, s.InuseBytes, s.AllocObjects, s.AllocBytes = 1, at.size, 1, at.size
		r.Samples = append(r.Samples, s)
	}
	return r
}

func TestAStackThroughALibraryThatWasOpenedAgainIsOneSample(t *testing.T) {
	var file bytes.Buffer
	if err := reopening().Write(&file); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseUncompressed(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var blocks []int64
	var sum int64
	for _, s := range p.Sample {
		blocks = append(blocks, s.Value[0])
		sum += s.Value[1]
	}
	if len(p.Sample) != 5 || sum != 800 {
		t.Errorf("%d samples of %v blocks, %d bytes: %v", len(p.Sample), blocks, sum, p)
	}
	var text bytes.Buffer
	if err := reopening().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); strings.Count(got, ", blocks of ") != 5 || !strings.Contains(got, "1. in use 300 B in 3 blocks, allocated 300 B in 3 blocks, blocks of 100 bytes\n") {
		t.Error(got)
	}
}
