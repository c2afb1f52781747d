package callgrind

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/counts.txt")

const countsFile = "testdata/counts.txt"

// paths are the paths of testdata/hot.c.
var paths = []string{
	"stopped", "not-sampled", "sampled", "sampled-climbing", "sampled-many-stacks", "walk", "walk-by-sp", "calloc-not-sampled",
	"realloc-sampled", "device-unmap",
}

// slack is how many more instructions do not count as a change.
func slack(count float64) float64 { return 0.02*count + 1 }

func TestHotPathsTakeNoMoreInstructionsThanTheyDid(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	tools := toolVersions(t)
	program := build(t)
	counts := make(map[string]float64)
	for _, path := range paths {
		counts[path] = perIteration(t, program, path)
	}
	if *update {
		writeCounts(t, tools, counts)
	}
	want := readCounts(t, tools)
	for _, path := range paths {
		got, was := counts[path], want[path]
		switch {
		case was == 0:
			t.Errorf("%s: %s has no count", path, countsFile)
		case got > was+slack(was):
			t.Errorf("%s: %.1f instructions, which were %.1f", path, got, was)
		case got < was-slack(was):
			t.Logf("%s: %.1f instructions, which were %.1f: go test ./callgrind -update", path, got, was)
		}
	}
}

// toolVersions name what the counts depend on.
func toolVersions(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, command := range [][]string{{"gcc", "--version"}, {"valgrind", "--version"}, {"ldd", "--version"}} {
		output, err := exec.Command(command[0], command[1:]...).Output()
		if err != nil {
			t.Skipf("instructions are not counted, as %s cannot be asked for its version: %v", command[0], err)
		}
		line, _, _ := strings.Cut(string(output), "\n")
		lines = append(lines, line)
	}
	return runtime.GOARCH + ", " + strings.Join(lines, ", ")
}

// few and many are the iterations that are compared. After few iterations, all tables have their final state.
const few, many = 4096, 16_384

func perIteration(t *testing.T, program, path string) float64 {
	t.Helper()
	less, more := instructions(t, program, path, few), instructions(t, program, path, many)
	return float64(more-less) / (many - few)
}

var collected = regexp.MustCompile(`Collected\s*: (\d+)`)

func instructions(t *testing.T, program, path string, iterations int) int {
	t.Helper()
	command := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, path, fmt.Sprint(iterations))
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
	found := collected.FindSubmatch(output)
	if found == nil {
		t.Fatalf("%v says nothing of what it collected\n%s", command, output)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func writeCounts(t *testing.T, tools string, counts map[string]float64) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, "#", tools)
	for _, path := range paths {
		fmt.Fprintf(&text, "%s %.1f\n", path, counts[path])
	}
	if err := os.WriteFile(countsFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readCounts(t *testing.T, tools string) map[string]float64 {
	t.Helper()
	text, err := os.ReadFile(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	head, lines, _ := strings.Cut(string(text), "\n")
	if head != "# "+tools {
		t.Skipf("instructions are not compared, as they were counted with other tools: %s; here are %s", head[2:], tools)
	}
	counts := make(map[string]float64)
	for line := range strings.Lines(lines) {
		var path string
		var count float64
		if _, err := fmt.Sscan(line, &path, &count); err != nil {
			t.Fatalf("%s: %q: %v", countsFile, line, err)
		}
		counts[path] = count
	}
	return counts
}

// source is the folder of the C, and tests the folder with the Makefile that builds it without Go.
const source, tests = "../../cgo", "../../cgo/testdata/ctest"

// build compiles hot.c and the C with the flags that the C is compiled with for use.
func build(t *testing.T) (program string) {
	t.Helper()
	folder := t.TempDir()
	flags := []string{"-std=gnu11", "-O2", "-g", "-fno-omit-frame-pointer", "-ftls-model=initial-exec", "-fvisibility=hidden",
		"-fPIC", "-fno-plt", "-no-pie", "-DCGOHEAP_WRAP"}
	hooks, below := filepath.Join(folder, "hooks.o"), filepath.Join(folder, "real_find.o")
	for file, object := range map[string]string{"hooks.c": hooks, "real_find.c": below} {
		run(t, "gcc", append(flags, "-c", "-o", object, filepath.Join(source, file))...)
		run(t, "objcopy", append(renamed(t), object)...)
	}
	program = filepath.Join(folder, "hot")
	sources := []string{"testdata/hot.c", hooks, below}
	for _, file := range listed(t, "SOURCES") {
		sources = append(sources, filepath.Join(tests, file))
	}
	run(t, "gcc", append(append(flags, "-o", program), append(sources, "-lm", "-lpthread")...)...)
	return program
}

// renamed returns the options that rename the hooks, which come before hot.c's allocator.
func renamed(t *testing.T) (options []string) {
	t.Helper()
	for _, f := range listed(t, "FAMILY") {
		to := f
		if slices.Contains([]string{"malloc", "calloc", "realloc", "free"}, f) {
			to = "hot_" + f
		}
		options = append(options, "--redefine-sym", "__wrap_"+f+"=hook_"+f, "--redefine-sym", "__real_"+f+"="+to)
	}
	return options
}

// listed returns the words of a variable in the Makefile of the C tests.
func listed(t *testing.T, variable string) []string {
	t.Helper()
	command := exec.Command("make", "-s", "-C", tests, "--no-print-directory", "--eval", "list: ; @echo $("+variable+")", "list")
	command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	words, err := command.Output()
	if err != nil || len(words) == 0 {
		t.Fatalf("%v: %q, %v", command, words, err)
	}
	return strings.Fields(string(words))
}

func run(t *testing.T, name string, arguments ...string) {
	t.Helper()
	if output, err := exec.Command(name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, output)
	}
}
