//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// Quick to compile: make ctest builds with -O2 too.
var cFlags = strings.Fields("-std=gnu11 -Wall -Wextra -Werror -DCGOHEAP_WRAP -O1 -fno-omit-frame-pointer")

// all are all cases of a program.
var all = []string{""}

// The tests of C that also run here: only tests whose outcome does not depend on how busy the machine is, with the fewest
// rounds that notice a change of the code they test. make ctest runs all tests, under sanitizers.
var testsOfC = []struct {
	name, scale string
	only        []string // parts of the names of its cases
}{
	{"walk_test", "10", all},
	{"walk_go_test", "10", all},
	{"pages_test", "10", all},
	{"memory_test", "10", all},
	{"stacks_test", "1", all},
	{"page_set_test", "10", all},
	{"device_books_test", "10", all},
	{"blocks_test", "10", []string{"blocks agree with a list of them", "a small block has the smallest size", "what is refused"}},
	{"mapped_test", "20", []string{"the table agrees with an array of pages", "nobody is blamed", "lost", "a loss that comes", "no deep tree"}},
	{"cfi_test", "20", all},
	{"weight_test", "10", all},
	{"wide_test", "10", all},
	{"record_test", "1", all},
	{"live_test", "10", []string{"what an array holds", "stuck counters", "a granule that changes", "nothing is recounted"}},
	{"gate_test", "10", []string{"who enters while the epoch changes", "a settle after one that gave up"}},
	{"peak_test", "10", []string{"a reset that finds no exact total is made up for"}},
	{"last_test", "1", all},
	{"twin_chunks_test", "20", []string{"one thread's", "small blocks", "just cutting", "corrupt size"}},
	{"twin_pinned_test", "20", []string{"what each block pins", "left alone"}},
	{"objects_test", "1", all},
	{"ending_test", "1", []string{"nothing of a stack is kept"}},
}

func TestTheTestsOfC(t *testing.T) {
	tools, folder := toolchain.Target(t), t.TempDir()
	objects := buildC(t, tools, folder)
	for _, c := range testsOfC {
		program := filepath.Join(folder, c.name)
		arguments := append([]string{"-DSCALE=" + c.scale, "-o", program, "testdata/ctest/" + c.name + ".c"}, objects...)
		tools.Build(t, "gcc", append(append(arguments, cFlags...), "-lm", "-lpthread")...)
		for _, only := range c.only {
			t.Run(c.name+" "+only, func(t *testing.T) {
				command := tools.Run(program)
				command.Env = append(os.Environ(), "ONLY="+only)
				output, err := command.CombinedOutput()
				if err != nil || !strings.Contains(string(output), "ok  ") {
					t.Errorf("%v\n%s", err, output)
				}
			})
		}
	}
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
		tools.Build(t, "gcc", append(sources, cFlags...)...)
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

// What is recorded of devices agrees with the books of a stand-in for their driver, which the program opens or is linked with.
func TestDevicesInC(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	command := exec.Command("make", "-s", "--no-print-directory", "-C", "testdata/ctest", "devices", "SCALE=10", "OUT="+t.TempDir())
	command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	if output, err := command.CombinedOutput(); err != nil || strings.Count(string(output), "ok  ") != 24 {
		t.Errorf("%v\n%s", err, output)
	}
}

// buildC compiles the C of this package that needs no hooks, and returns the object files. The compiler refuses to compute with
// floating-point numbers: their environment is the program's.
func buildC(t *testing.T, tools toolchain.Toolchain, folder string) (objects []string) {
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if !inSources(source) {
			continue
		}
		object := filepath.Join(folder, source+".o")
		tools.Build(t, "gcc", append([]string{"-c", "-mgeneral-regs-only", "-o", object, source}, cFlags...)...)
		objects = append(objects, object)
	}
	return objects
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
