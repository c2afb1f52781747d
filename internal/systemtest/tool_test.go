//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// tool runs go tool pprof and returns what it prints.
func tool(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command("go", append([]string{"tool", "pprof", "-symbolize=none"}, args...)...)
	command.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// row is the line of a table that ends with the function, its columns apart; none: nil.
func row(text, function string) []string {
	for line := range strings.Lines(text) {
		if strings.HasSuffix(strings.TrimSpace(line), "."+function) {
			return strings.Fields(line)
		}
	}
	return nil
}

func written(t *testing.T, p *cgoheap.Profiler, s cgoheap.Selection) (path string) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f, s); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func TestGoToolPprofReadsProfilesRight(t *testing.T) {
	p := start(t, everything)
	first := written(t, p, cgoheap.Selection{})
	middle := profiletest.PlayTaking(t, p.Baseline)
	last := written(t, p, cgoheap.Selection{})
	top := []string{"-top", "-cum", "-nodecount=100", "-nodefraction=0", "-unit=B"}
	with := func(args ...string) []string { return append(append([]string(nil), top...), args...) }

	for _, c := range []struct {
		about, function string
		cumulative      string // the fourth column: the bytes of the function and what it calls
		args            []string
	}{
		{"what is in use is shown first", "Leak", "900B", with(last)},
		{"what was allocated, on demand", "Garbage", "300B", with("-sample_index=alloc_space", last)},
		{"-base takes a dump from another", "Leak", "900B", with("-base="+first, last)},
		{"-diff_base does, too", "Cache", "8000B", with("-diff_base="+first, last)},
		{"growth may be negative", "Cache", "-4000B", with(written(t, p, cgoheap.Selection{View: cgoheap.ViewGrowth(middle)}))},
		{"-tagfocus selects by block size", "Leak", "700B", with("-tagfocus=bytes=700b", last)},
		{"-tagfocus selects by age", "Leak", "100B", with("-tagfocus=age=1s:", written(t, p, cgoheap.Selection{View: cgoheap.ViewAge(0)}))},
		{"-tagignore leaves young blocks out", "Cache", "8000B", with("-tagignore=age=0s", written(t, p, cgoheap.Selection{View: cgoheap.ViewAge(0)}))},
		{"the peak", "Spike", "1048576B", with(written(t, p, cgoheap.Selection{View: cgoheap.ViewPeak()}))},
		{"churn", "Garbage", "300B", with(written(t, p, cgoheap.Selection{View: cgoheap.ViewShortLived(0)}))},
	} {
		t.Run(c.about, func(t *testing.T) {
			out := tool(t, c.args...)
			if columns := row(out, c.function); len(columns) < 5 || columns[3] != c.cumulative {
				t.Errorf("%s: %v, want %s\n%s", c.function, columns, c.cumulative, out)
			}
		})
	}
}

func TestGoToolPprofShowsTracesAndComments(t *testing.T) {
	p := start(t, everything)
	profiletest.PlayTaking(t, p.Baseline)
	path := written(t, p, cgoheap.Selection{})

	t.Run("-traces has the whole stack, leaf first, with the block size", func(t *testing.T) {
		out := tool(t, "-traces", path)
		stack := out[max(0, strings.Index(out, "700B")):]
		leaf, root := strings.Index(stack, "profiletest.Leak"), strings.Index(stack, "testing.tRunner")
		if leaf < 0 || root < leaf {
			t.Error(out)
		}
	})
	t.Run("-comments say what it is", func(t *testing.T) {
		if out := tool(t, "-comments", path); !strings.Contains(out, "native memory in use, and allocated since") {
			t.Error(out)
		}
	})
	t.Run("a delta says how long it took", func(t *testing.T) {
		m, err := p.Baseline()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
		if out := tool(t, "-top", written(t, p, cgoheap.Selection{View: cgoheap.ViewDelta(m)})); !strings.Contains(out, "Duration: ") {
			t.Error(out)
		}
	})
	if filepath.Ext(path) != ".gz" {
		t.Error(path)
	}
}

//go:noinline
func hold(n int) []byte { return make([]byte, n) }

func TestGoToolPprofTellsTheHeapsApart(t *testing.T) {
	p := start(t, everything)
	defer victim.Free(profiletest.Leak(300))
	held := hold(64 << 20)
	runtime.GC()
	path := written(t, p, cgoheap.Selection{GoHeap: true})
	golang := tool(t, "-top", "-cum", "-nodecount=500", "-tagfocus=heap=go", path)
	native := tool(t, "-top", "-cum", "-nodecount=500", "-nodefraction=0", "-tagfocus=heap=native", path)
	if row(golang, "hold") == nil || row(golang, "Leak") != nil || row(native, "Leak") == nil || row(native, "hold") != nil {
		t.Errorf("%s\n%s", golang, native)
	}
	runtime.KeepAlive(held)
}
