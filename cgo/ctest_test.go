//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// all are all cases of a program.
var all = []string{""}

// The tests of C that also run here: only tests whose outcome does not depend on how busy the machine is, with the fewest
// rounds that notice a change of the code they test. make ctest runs all tests, under sanitizers.
var testsOfC = []toolchain.CTest{
	{Name: "walk_test", Scale: "10", Only: all},
	{Name: "walk_go_test", Scale: "10", Only: all},
	{Name: "pages_test", Scale: "10", Only: all},
	{Name: "memory_test", Scale: "10", Only: all},
	{Name: "stacks_test", Scale: "1", Only: all},
	{Name: "page_set_test", Scale: "10", Only: all},
	{Name: "device_books_test", Scale: "10", Only: all},
	{Name: "blocks_test", Scale: "10", Only: []string{"blocks agree with a list of them", "a small block has the smallest size", "what is refused"}},
	{Name: "mapped_test", Scale: "20", Only: []string{"the table agrees with an array of pages", "nobody is blamed", "lost", "a loss that comes", "no deep tree"}},
	{Name: "cfi_test", Scale: "20", Only: all},
	{Name: "weight_test", Scale: "10", Only: all},
	{Name: "wide_test", Scale: "10", Only: all},
	{Name: "record_test", Scale: "1", Only: all},
	{Name: "live_test", Scale: "10", Only: []string{"what an array holds", "stuck counters", "a granule that changes", "nothing is recounted"}},
	{Name: "gate_test", Scale: "10", Only: []string{"who enters while the epoch changes", "a settle after one that gave up"}},
	{Name: "peak_test", Scale: "10", Only: []string{"a reset that finds no exact total is made up for"}},
	{Name: "last_test", Scale: "1", Only: all},
	{Name: "objects_test", Scale: "1", Only: all},
	{Name: "ending_test", Scale: "1", Only: []string{"nothing of a stack is kept"}},
}

func TestTheTestsOfC(t *testing.T) {
	files, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	sources := slices.DeleteFunc(files, func(file string) bool { return !inSources(file) })
	toolchain.Target(t).TestC(t, sources, testsOfC)
}

// A linker with --as-needed keeps the program's allocator because of a function that the allocator has, and that is used: it has no hook.
func TestOneFunctionOfTheFamilyIsTheAllocators(t *testing.T) {
	for compiler, name := range map[string]string{"gcc": "malloc_usable_size", "musl-gcc": "valloc"} {
		t.Run(compiler, func(t *testing.T) {
			path, err := exec.LookPath(compiler)
			if err != nil {
				t.Skip("needs musl-gcc (Debian: musl-tools)")
			}
			symbols := func(source, which string) string {
				object := filepath.Join(t.TempDir(), "object.o")
				if out, err := exec.Command(path, "-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-c", "-o", object, source).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				out, err := exec.Command("nm", which, "--format=just-symbols", object).Output()
				if err != nil {
					t.Fatal(err)
				}
				return "\n" + string(out)
			}
			if used := symbols("real_find.c", "--undefined-only"); !strings.Contains(used, "\n"+name+"\n") {
				t.Errorf("nothing uses %s: %s", name, used)
			}
			if hooks := symbols("hooks.c", "--defined-only"); strings.Contains(hooks, "\n"+name+"\n") || !strings.Contains(hooks, "\nmalloc\n") {
				t.Errorf("%s has a hook: %s", name, hooks)
			}
		})
	}
}

// A program that is linked with --wrap must be static: the hooks would not see allocations of libraries.
func TestAProgramForWrapKnowsWhetherItIsStatic(t *testing.T) {
	tools, folder := toolchain.Target(t), t.TempDir()
	for _, c := range []struct{ link, refusal string }{{"-static", "0"}, {"-no-pie", "4"}, {"-pie", "4"}} {
		program := filepath.Join(folder, "wrap_test"+c.link)
		sources := []string{"-DCGOHEAP_WRAP", "-o", program, "testdata/ctest/wrap_test.c", "real_wrap.c", "-fPIE", c.link}
		tools.Build(t, "gcc", append(sources, toolchain.CFlags...)...)
		if output, err := tools.Run(program, c.refusal).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.link, err, output)
		}
	}
}

// The list in family.h also makes hooks for a family under other names, beside the program's own, in a library or wrapped.
func TestFamiliesUnderOtherNames(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	command := exec.Command("make", "-s", "--no-print-directory", "-C", "testdata/ctest", "families", "OUT="+t.TempDir())
	command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	if output, err := command.CombinedOutput(); err != nil || strings.Count(string(output), "ok  ") != 8 {
		t.Errorf("%v\n%s", err, output)
	}
}

// What is recorded of devices agrees with the books of a stand-in for their driver, which the program opens or is linked with. This
// flag takes away jumps from one function to another, which dlsym must keep.
func TestDevicesInC(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	command := exec.Command("make", "-s", "--no-print-directory", "-C", "testdata/ctest", "devices", "SCALE=10", "CC=gcc -fno-optimize-sibling-calls",
		"OUT="+t.TempDir())
	command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	if output, err := command.CombinedOutput(); err != nil || strings.Count(string(output), "ok  ") < 30 { // of its cases
		t.Errorf("%v\n%s", err, output)
	}
}

// inSources reports whether the Makefile of the C tests has a file among its SOURCES.
func inSources(source string) bool {
	other := map[string]string{"amd64": "_arm64.c", "arm64": "_amd64.c"}[runtime.GOARCH]
	for _, part := range []string{"real", "hooks", "brought"} {
		if strings.HasPrefix(source, part) {
			return false
		}
	}
	if strings.HasSuffix(source, other) {
		return false
	}
	return source != "probe.c" && source != "allocators.c" && source != "cgoheap.c" && source != "operators.c"
}
