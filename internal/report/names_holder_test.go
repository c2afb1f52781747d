package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

var heldHolders = []holders.Holder{
	{Name: "global sessions"}, {Name: "global server (a.c)", Detail: "global server+0x18"}, {Name: "global server (a.c)", Detail: "global server+0x20"},
	{Name: "a block allocated in queue_push", Root: "Go's heap"}, {Name: holders.Nothing}, {Name: holders.NotLooked}, {Name: "mapping \xff\x01"},
}

// heldReport has two samples of each holder, of different stacks, all of code of no known file.
func heldReport() *Report {
	r := &Report{
		Header: pprof.Header{Columns: pprof.InuseColumns, Main: pprof.Mapping{File: "/bin/program"}, Time: time.Unix(1<<30, 0), SampleBytes: 1},
		Names:  symbolize.New(symbolize.Options{}), Module: func(stack.ModuleID) *mappings.Module { return nil }, Holders: heldHolders,
	}
	for i, h := range heldHolders {
		for k := range 2 {
			s := stack.Sample{
				Frames:    []stack.Frame{stack.NewFrame(0, uint64(0x1000+k)), stack.NewFrame(0, 0x2000), stack.NewFrame(stack.NoCode, uint64(i+1))},
				BlockSize: 64, Values: stack.Values{InuseObjects: 1, InuseBytes: int64(1 + i)},
			}
			if h.Root != "" {
				s.Labels = []stack.Label{{Key: "root", Text: h.Root}}
			}
			r.Samples = append(r.Samples, s)
		}
	}
	return r
}

func written(t *testing.T, r *Report) (*profile.Profile, []byte) {
	t.Helper()
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, fault := range checked(t, text.Bytes()) {
		t.Errorf("%v", fault)
	}
	p, err := profile.Parse(bytes.NewReader(text.Bytes()))
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, text.Bytes()
}

func checked(t *testing.T, data []byte) (errors []string) {
	t.Helper()
	faults, err := check.Profile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		errors = append(errors, fmt.Sprint(f))
	}
	return errors
}

func TestHoldersAreTheRootsOfStacks(t *testing.T) {
	p, _ := written(t, heldReport())
	sums := map[string]int64{}
	for _, s := range p.Sample {
		root := s.Location[len(s.Location)-1]
		name := root.Line[len(root.Line)-1].Function.Name
		sums[name] += s.Value[1]
		if len(root.Line) == 2 {
			sums[root.Line[0].Function.Name] += s.Value[1]
		}
		if len(s.Label["root"]) == 1 {
			sums["root "+s.Label["root"][0]] += s.Value[1]
		}
		if len(s.Location) != 3 {
			t.Errorf("%d locations", len(s.Location))
		}
	}
	for name, want := range map[string]int64{
		"held by global sessions": 2, "held by global server (a.c)": 10, "global server+0x18": 4, "global server+0x20": 6,
		"held by a block allocated in queue_push": 8, "root Go's heap": 8, "held by nothing": 10, "not looked for": 12, "held by mapping \uFFFD\x01": 14,
	} {
		if sums[name] != want {
			t.Errorf("%s: %d, want %d of %v", name, sums[name], want, sums)
		}
	}
}

func TestACutProfileOfHoldersHasTheSameTotal(t *testing.T) {
	r := heldReport()
	if err := r.Cut(5, 0); err != nil {
		t.Fatal(err)
	}
	p, _ := written(t, r)
	var total int64
	for _, s := range p.Sample {
		total += s.Value[1]
	}
	if total != 56 || len(p.Sample) != 5 {
		t.Errorf("%d samples of %d bytes", len(p.Sample), total)
	}
}

func TestPprofShowsHoldersAsRoots(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	_, data := written(t, heldReport())
	path := filepath.Join(t.TempDir(), "held.pb.gz")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-traces", "-sample_index=inuse_space", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.Count(string(out), "held by global server (a.c)\n"); got != 4 {
		t.Errorf("%d stacks:\n%s", got, out)
	}
}

func TestTextHasHolders(t *testing.T) {
	var text strings.Builder
	if err := heldReport().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "    global server+0x18  \n    held by global server (a.c)  \n") {
		t.Error(text.String())
	}
}

func TestHoldersThatTheReportDoesNotKnow(t *testing.T) {
	r := heldReport()
	r.Holders = r.Holders[:1]
	r.Samples = append(r.Samples, stack.Sample{Frames: []stack.Frame{stack.NewFrame(stack.NoCode, 0)}, Values: stack.Values{InuseObjects: 1, InuseBytes: 1}})
	p, _ := written(t, r)
	if got := p.Sample[len(p.Sample)-1].Location[0].Line[0].Function.Name; got != "held by something unknown" {
		t.Errorf("%q", got)
	}
}
