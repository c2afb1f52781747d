package goheap

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	runtimepprof "runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func setGCPercent(percent int) int { return debug.SetGCPercent(percent) }

// runtimeProfile is what runtime/pprof writes, with ELF addresses instead of runtime addresses.
func runtimeProfile(t testing.TB, name string) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	if err := runtimepprof.Lookup(name).WriteTo(&written, 0); err != nil {
		t.Fatal(err)
	}
	p, program := parse(t, &written), mainModule(t)
	for _, l := range p.Location {
		l.Address -= program.Bias
	}
	return p
}

func parse(t testing.TB, written *bytes.Buffer) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(written.Bytes())
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// encoded is p, named and written by the packages that do so.
func encoded(t testing.TB, p *stack.Profile) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	program := mainModule(t)
	e := pprof.NewEncoder(&written, pprof.Header{
		Main: pprof.Mapping{File: program.Path, BuildID: program.BuildID}, SampleBytes: p.SampleBytes, Time: p.Time,
	})
	names := symbolize.New(symbolize.Options{})
	for i := range p.Samples {
		s := &p.Samples[i]
		var ids []pprof.LocationID
		for _, f := range s.Frames {
			ids = append(ids, e.Location(location(program, f, names)))
		}
		if err := e.Sample(ids, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return parse(t, &written)
}

func mainModule(t testing.TB) *mappings.Module {
	t.Helper()
	modules, err := mappings.Self()
	if err != nil {
		t.Skip("there is no list of loaded files here: ", err)
	}
	return &modules[0]
}

func location(m *mappings.Module, f stack.Frame, names *symbolize.Symbolizer) pprof.Location {
	address := m.ELFAddr(mappings.RuntimeAddr(f.Address()))
	l := pprof.Location{Mapping: pprof.Mapping{File: m.Path, BuildID: m.BuildID}, Address: uint64(address)}
	for _, line := range names.Resolve(m, []mappings.ELFAddr{address})[0].Lines {
		l.Lines = append(l.Lines, pprof.Line{
			Function: pprof.Function{
				Name: line.Function, SystemName: line.SystemName, File: line.File, StartLine: int64(line.StartLine),
			},
			Line: int64(line.Line),
		})
	}
	return l
}

// printed lists the samples that have a value, sorted: all that a reader can see of them. But runtime/pprof takes functions
// of one name for one function. A package's init, whose code comes from several files, lies there in whichever is first;
// the file of those is left out.
func printed(p *profile.Profile, scattered map[string]bool) []string {
	var list []string
	for _, s := range p.Sample {
		if !slices.Equal(s.Value, make([]int64, 4)) {
			list = append(list, fmt.Sprint(s.Value, s.NumLabel["bytes"], stackText(s, scattered)))
		}
	}
	slices.Sort(list)
	return list
}

// scattered are the names of functions that have code in several files.
func scattered(p *profile.Profile) map[string]bool {
	files, several := map[string]string{}, map[string]bool{}
	for _, f := range p.Function {
		if file, ok := files[f.Name]; ok && file != f.Filename {
			several[f.Name] = true
		}
		files[f.Name] = f.Filename
	}
	return several
}

func stackText(s *profile.Sample, scattered map[string]bool) string {
	var text strings.Builder
	for _, l := range s.Location {
		fmt.Fprintf(&text, "\n%#x", l.Address)
		for _, line := range l.Line {
			f, file := line.Function, line.Function.Filename
			if scattered[f.Name] {
				file = "?"
			}
			fmt.Fprintf(&text, "\n\t%s %s %s:%d:%d", f.Name, f.SystemName, file, f.StartLine, line.Line)
		}
	}
	return text.String()
}

func total(p *profile.Profile) (sum [4]int64) {
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	return sum
}

// checkAgreement compares all samples of Read with the samples of runtime/pprof's profile.
func checkAgreement(t *testing.T, name string) {
	t.Helper()
	theirs, read := runtimeProfile(t, name), Read(inModule(1))
	ours := encoded(t, &read)
	t.Logf("rate %d: %d samples, total %v", runtime.MemProfileRate, len(ours.Sample), total(ours))
	if diff := cmp.Diff(total(theirs), total(ours)); diff != "" {
		t.Errorf("%s: total (-runtime/pprof +ours):\n%s", name, diff)
	}
	if diff := cmp.Diff(printed(theirs, scattered(ours)), printed(ours, scattered(ours))); diff != "" {
		t.Errorf("%s: samples (-runtime/pprof +ours):\n%.9000s", name, diff)
	}
	if ours.Period != theirs.Period || ours.PeriodType.Type != theirs.PeriodType.Type {
		t.Errorf("%s: period %d %v, want %d %v", name, ours.Period, ours.PeriodType, theirs.Period, theirs.PeriodType)
	}
	for i, column := range theirs.SampleType {
		if *column != *ours.SampleType[i] {
			t.Errorf("%s: column %v, want %v", name, ours.SampleType[i], column)
		}
	}
}

func TestSamplesAreThoseOfRuntimePprof(t *testing.T) {
	allocate(t)
	checkAgreement(t, "heap")
	checkAgreement(t, "allocs")
}

func TestSamplesAreThoseOfRuntimePprofAtEveryRate(t *testing.T) {
	rates := []string{"1", "0", "2", "4096", "100000"}
	if testing.Short() {
		rates = rates[:1]
	}
	for _, rate := range rates {
		again := exec.Command(os.Args[0], "-test.run=^TestSamplesAreThoseOfRuntimePprof$", "-test.v")
		again.Env = append(os.Environ(), "GODEBUG=memprofilerate="+rate)
		output, err := again.CombinedOutput()
		if err != nil || !strings.Contains(string(output), "rate "+rate+":") {
			t.Errorf("at a rate of %s: %v\n%s", rate, err, output)
		}
	}
}

func TestSamplesAreThoseOfRuntimePprofAfterTheRateChanged(t *testing.T) {
	allocate(t)
	before := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = before }()
	for _, rate := range []int{before / 2, before * 2, 1, 0} {
		runtime.MemProfileRate = rate
		checkAgreement(t, "heap")
	}
}
