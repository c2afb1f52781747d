//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// objects are built once: Go libraries that contain cgoheap, and programs that link or open them in every order.
type objects struct {
	t   *testing.T
	dir string
}

func newObjects(t *testing.T, libraries ...string) objects {
	o := objects{t, t.TempDir()}
	for _, name := range libraries {
		o.build("go", "build", "-buildmode=c-shared", "-ldflags=-X main.name="+name, "-o", o.path("lib"+name+".so"), "./testdata/twice/library")
	}
	return o
}

func (o objects) path(name string) string { return filepath.Join(o.dir, name) }

func (o objects) build(tool string, arguments ...string) {
	o.t.Helper()
	toolchain.Target(o.t).Build(o.t, tool, arguments...)
}

// program is the C program, linked with libraries in this order.
func (o objects) program(name string, linked ...string) string {
	arguments := []string{"-O2", "-o", o.path(name), "testdata/twice/main.c", "-Wl,--no-as-needed,-rpath," + o.dir}
	for _, library := range linked {
		arguments = append(arguments, o.path("lib"+library+".so"))
	}
	o.build("gcc", append(arguments, "-ldl", "-lpthread")...)
	return o.path(name)
}

// run returns what the objects of a process say, a line for each start that was tried.
func (o objects) run(environment []string, program string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	return string(out), err
}

// Only linking cgoheap in must not kill a process. Of two objects that contain it one can record at most, and the other says
// why it cannot.
func TestTwoObjectsThatContainTheProfiler(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	o := newObjects(t, "one", "two")
	neither, both := o.program("neither"), o.program("both", "one", "two")
	reversed, first := o.program("reversed", "two", "one"), o.program("first", "one")
	o.build("go", "build", "-o", o.path("go"), "-ldflags=-linkmode=external -extldflags=-Wl,--no-as-needed,-rpath,"+o.dir+","+o.path("libone.so"), "./testdata/twice/program")
	one, two := o.path("libone.so"), o.path("libtwo.so")
	for name, c := range map[string]struct {
		program   string
		arguments []string
		records   string // which of the objects; "" for none
		refuses   []string
	}{
		"linked":                              {both, []string{one, two}, "one", []string{"two"}},
		"linked, the second starts first":     {both, []string{two, one}, "one", []string{"two"}},
		"linked the other way round":          {reversed, []string{one, two}, "two", []string{"one"}},
		"opened":                              {neither, []string{one, two}, "", []string{"one", "two"}},
		"opened for all":                      {neither, []string{"global", two, one}, "", []string{"one", "two"}},
		"one linked, one opened":              {first, []string{one, two}, "one", []string{"two"}},
		"one linked, one opened for all":      {first, []string{"global", two, one}, "one", []string{"two"}},
		"a Go program with a library":         {o.path("go"), []string{one}, "program", []string{"one"}},
		"a Go program that opens another one": {o.path("go"), []string{one, two}, "program", []string{"one", "two"}},
		"a Go program, opened for all":        {o.path("go"), []string{"global", two}, "program", []string{"two"}},
	} {
		for _, environment := range [][]string{nil, {"LD_BIND_NOW=1"}, {"TWICE=off"}} {
			t.Run(strings.Join(append([]string{name}, environment...), ", "), func(t *testing.T) {
				out, err := o.run(environment, c.program, c.arguments...)
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if len(environment) > 0 && environment[0] == "TWICE=off" {
					return
				}
				if c.records != "" && !strings.Contains(out, c.records+" records\n") {
					t.Errorf("%s does not record:\n%s", c.records, out)
				}
				for _, name := range c.refuses {
					if !strings.Contains(out, name+": not supported: recording needs to be first in line for malloc") {
						t.Errorf("%s does not say why it cannot record:\n%s", name, out)
					}
				}
			})
		}
	}
}
