package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// written runs the program and returns its profile and what it printed.
func written(t *testing.T) (path, printed string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "whole-heap.pb.gz")
	var out bytes.Buffer
	if err := run(path, &out); err != nil {
		t.Fatal(err)
	}
	return path, out.String()
}

// held returns the bytes that a heap holds through a function.
func held(p *profile.Profile, heap, function string) (bytes int64) {
	for _, s := range p.Sample {
		if s.HasLabel("heap", heap) && calls(s, function) {
			bytes += s.Value[len(s.Value)-1]
		}
	}
	return bytes
}

func calls(s *profile.Sample, function string) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if strings.HasSuffix(line.Function.Name, "."+function) {
				return true
			}
		}
	}
	return false
}

func TestPagesAreNativeAndTheIndexIsGos(t *testing.T) {
	path, printed := written(t)
	p, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries int64
	for number := range pageCount {
		entries += int64(len(strings.Fields(newPage(number))))
	}
	// Both are estimates: of 60 samples for the pages, of 30 for the index, whose slices have room to grow.
	if bytes, want := held(p, "native", "keep"), int64(pageCount*pageBytes); bytes < want/3 || bytes > 2*want {
		t.Errorf("the pages take %d bytes, want about %d", bytes, want)
	}
	if bytes, want := held(p, "go", "indexWords"), 4*entries; bytes < want/3 || bytes > 3*want {
		t.Errorf("the index takes %d bytes, want about %d", bytes, want)
	}
	if pages, index := held(p, "go", "copy_page"), held(p, "native", "indexWords"); pages+index != 0 {
		t.Errorf("%d bytes of C in Go's heap, %d of the index outside", pages, index)
	}
	for _, want := range []string{" go ", " native ", " both ", "-tagroot=heap", path} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not printed:\n%s", want, printed)
		}
	}
}

func TestGoToolPprofShowsEachHalf(t *testing.T) {
	path, _ := written(t)
	for _, c := range []struct{ option, with, without string }{
		{"-tagfocus=heap=go", ".(*archive).indexWords", "C.copy_page"},
		{"-tagfocus=heap=native", "C.copy_page", ".(*archive).indexWords"},
		{"-tagroot=heap", "native", "no such function"},
	} {
		command := exec.Command("go", "tool", "pprof", "-symbolize=none", c.option, "-top", "-cum", path)
		command.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := command.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte(c.with)) || bytes.Contains(out, []byte(c.without)) {
			t.Errorf("%s: %v\n%s", c.option, err, out)
		}
	}
}
