package check_test

import (
	"bytes"
	"runtime"
	runtimepprof "runtime/pprof"
	"slices"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

func checkClean(t *testing.T, written []byte, known ...string) {
	t.Helper()
	faults, err := check.Profile(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if !slices.Contains(known, f.Name) {
			t.Error(f)
		}
	}
}

func TestEncoderOfThisModuleWritesNoFault(t *testing.T) {
	main, library := pprof.Mapping{File: "/usr/bin/service", BuildID: "0a"}, pprof.Mapping{File: "/lib/libx.so", BuildID: "0b"}
	var b bytes.Buffer
	e := pprof.NewEncoder(&b, pprof.Header{Main: main, SampleBytes: 1 << 19, Time: time.Now(), Comments: []string{"bad UTF-8: \xff"}})
	line := pprof.Line{Function: pprof.Function{Name: "leak", SystemName: "_Z4leakv", File: "leak.cc", StartLine: 3}, Line: 5}
	frames := []pprof.LocationID{
		e.Location(pprof.Location{Mapping: library, Address: 0x10, Lines: []pprof.Line{line}}),
		e.Location(pprof.Location{Mapping: library, Address: 0x20}),
		e.Location(pprof.Location{Mapping: main, Address: 0x10, Lines: []pprof.Line{line, line}}),
	}
	for size := range int64(3) {
		s := stack.Sample{
			BlockSize: size,
			Values:    stack.Values{AllocObjects: 2, AllocBytes: 2 * size, InuseObjects: 1, InuseBytes: size},
			Labels:    []stack.Label{{Key: "age", Number: size, Unit: "seconds"}, {Key: "heap", Text: "native"}},
		}
		if err := e.Sample(frames, &s); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	checkClean(t, b.Bytes())
}

// nativeAddresses are the known faults of runtime/pprof in a process with a C library: it leaves native frames to be
// named by others, at runtime addresses.
var nativeAddresses = []string{"mapping-form", "mapping-build-id"}

// A stack that Go's heap recorded since the last garbage collection has no numbers yet, and is written with zeros.
var unpublished = []string{"value-zero"}

func TestRuntimePprofWritesKnownFaultsOnly(t *testing.T) {
	for name, more := range map[string][]string{
		"heap": unpublished, "allocs": unpublished, "goroutine": nil,
		"threadcreate": {"function-name", "location-mapping"}, // it writes stacks that it does not know as one of address 1
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			var b bytes.Buffer
			if err := runtimepprof.Lookup(name).WriteTo(&b, 0); err != nil {
				t.Fatal(err)
			}
			checkClean(t, b.Bytes(), slices.Concat(more, nativeAddresses)...)
		})
	}
}

func TestRuntimePprofOfCPUWritesKnownFaultsOnly(t *testing.T) {
	for length, samples := 50*time.Millisecond, 0; samples == 0; length *= 2 { // on a busy machine, a short one is empty
		var b bytes.Buffer
		if err := runtimepprof.StartCPUProfile(&b); err != nil {
			t.Skip(err)
		}
		spin := 0
		for end := time.Now().Add(length); time.Now().Before(end); {
			spin++
		}
		runtimepprof.StopCPUProfile()
		checkClean(t, b.Bytes(), nativeAddresses...)
		p, err := profile.ParseData(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		samples = len(p.Sample)
	}
}

func TestRepeatedLabelOfGooglePprofIsTheOnlyFault(t *testing.T) {
	m := &profile.Mapping{ID: 1, Limit: 1<<64 - 1, File: "/bin/x", BuildID: "0a", HasFunctions: true}
	f := &profile.Function{ID: 1, Name: "f"}
	l := &profile.Location{ID: 1, Mapping: m, Address: 1, Line: []profile.Line{{Function: f}}}
	p := profile.Profile{
		SampleType: []*profile.ValueType{{Type: "space", Unit: "bytes"}}, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"},
		Period: 1, TimeNanos: time.Now().UnixNano(), Mapping: []*profile.Mapping{m}, Function: []*profile.Function{f},
		Location: []*profile.Location{l},
		Sample:   []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{1}, Label: map[string][]string{"tenant": {"a", "b"}}}},
	}
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	faults, err := check.Profile(&b)
	if err != nil || len(faults) != 1 || faults[0].Name != "label-twice" {
		t.Errorf("%v, %v", faults, err)
	}
}
