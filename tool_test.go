//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		if strings.HasSuffix(strings.TrimSpace(line), "cgoheap."+function) {
			return strings.Fields(line)
		}
	}
	return nil
}

func written(t *testing.T, p *Profiler, s Selection) (path string) {
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
	first := written(t, p, Selection{})
	middle := play(t, p)
	last := written(t, p, Selection{})
	top := []string{"-top", "-cum", "-nodecount=100", "-nodefraction=0", "-unit=B"}
	with := func(args ...string) []string { return append(append([]string(nil), top...), args...) }

	for _, c := range []struct {
		about, function string
		cumulative      string // the fourth column: the bytes of the function and what it calls
		args            []string
	}{
		{"what is in use is shown first", "leak", "900B", with(last)},
		{"what was allocated, on demand", "garbage", "300B", with("-sample_index=alloc_space", last)},
		{"-base takes a dump from another", "leak", "900B", with("-base="+first, last)},
		{"-diff_base does, too", "cache", "8000B", with("-diff_base="+first, last)},
		{"growth may be negative", "cache", "-4000B", with(written(t, p, Selection{View: Growth, Since: middle}))},
		{"-tagfocus selects by block size", "leak", "700B", with("-tagfocus=bytes=700b", last)},
		{"-tagfocus selects by age", "leak", "100B", with("-tagfocus=age=1s:", written(t, p, Selection{View: Age}))},
		{"-tagignore leaves young blocks out", "cache", "8000B", with("-tagignore=age=0s", written(t, p, Selection{View: Age}))},
		{"the peak", "spike", "1048576B", with(written(t, p, Selection{View: Peak}))},
		{"churn", "garbage", "300B", with(written(t, p, Selection{View: ShortLived}))},
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
	play(t, p)
	path := written(t, p, Selection{})

	t.Run("-traces has the whole stack, leaf first, with the block size", func(t *testing.T) {
		out := tool(t, "-traces", path)
		stack := out[max(0, strings.Index(out, "700B")):]
		leaf, root := strings.Index(stack, "cgoheap.leak"), strings.Index(stack, "testing.tRunner")
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
		m, err := p.Moment()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
		if out := tool(t, "-top", written(t, p, Selection{Since: m})); !strings.Contains(out, "Duration: ") {
			t.Error(out)
		}
	})
	if filepath.Ext(path) != ".gz" {
		t.Error(path)
	}
}
