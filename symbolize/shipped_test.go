package symbolize

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/mappings"
)

// The machine's own servers are no part of the tests.
func TestMain(m *testing.M) {
	os.Unsetenv("DEBUGINFOD_URLS")
	os.Exit(m.Run())
}

// shipped is a program as it is deployed, without debug data of its own, and the names of its addresses according to the
// debug data that it had when it was linked.
type shipped struct {
	dir       string // where everything about it lies
	program   string
	debug     string // the debug data that was taken out; a test moves it where it belongs
	buildID   string
	addresses []mappings.ELFAddr
	want      []Result
}

// tool runs a program that makes or changes a fixture.
func tool(t testing.TB, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
}

// need skips a test whose fixture is made by tools that are not installed.
func need(t testing.TB, tools ...string) {
	t.Helper()
	for _, name := range tools {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

// link builds a program with full debug data in it.
func link(t testing.TB, flags ...string) *shipped {
	t.Helper()
	return linkBy(t, "gcc", flags...)
}

func linkBy(t testing.TB, compiler string, flags ...string) *shipped {
	t.Helper()
	s := &shipped{program: compile(t, compiler, "calls.c", append([]string{"-g", "-O2", "-Wl,--build-id"}, flags...)...)}
	s.dir = filepath.Dir(s.program)
	s.debug = filepath.Join(s.dir, "taken.out")
	s.learn(t)
	return s
}

// learn names the program from what it has itself, for the other ways to be compared with.
func (s *shipped) learn(t testing.TB) {
	t.Helper()
	s.addresses = every(3, everyByte(t, s.program))
	s.want = New(Options{}).Resolve(module(s.program), s.addresses)
	s.buildID = buildIDOf(t, s.program)
	deepest := 0
	for _, r := range s.want {
		if len(r.Lines) > 0 && r.Lines[0].Function == "grab" && filepath.Base(r.Lines[0].File) == "calls.c" {
			deepest = max(deepest, len(r.Lines))
		}
	}
	if deepest < 3 {
		t.Fatal("the debug data of the fixture does not name inlined calls")
	}
}

// buildIDOf is a file's build ID.
func buildIDOf(t testing.TB, path string) string {
	t.Helper()
	file, err := module(path).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	id, err := file.BuildID()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ship links a program and takes the debug data out, as distributions do.
func ship(t testing.TB, flags ...string) *shipped {
	t.Helper()
	s := link(t, flags...)
	s.strip(t)
	return s
}

func (s *shipped) strip(t testing.TB) {
	t.Helper()
	need(t, "objcopy", "strip")
	tool(t, "objcopy", "--only-keep-debug", s.program, s.debug)
	tool(t, "strip", s.program)
}

// withoutSymbols leaves the debug data in a file and takes its symbols out.
func withoutSymbols(t testing.TB, path string) {
	t.Helper()
	tool(t, "objcopy", "--wildcard", "--strip-symbol=*", path)
}

// put moves a file to a path below the program's directory.
func (s *shipped) put(t testing.TB, from string, to ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{s.dir}, to...)...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// named resolves the program's addresses.
func (s *shipped) named(o Options) []Result {
	return New(o).Resolve(module(s.program), s.addresses)
}

// check compares names with the names that the program had before it was stripped.
func (s *shipped) check(t testing.TB, got []Result) {
	t.Helper()
	for i := range got {
		if !reflect.DeepEqual(got[i], s.want[i]) {
			t.Fatalf("%#x: %+v, want %+v", uint64(s.addresses[i]), got[i], s.want[i])
		}
	}
}

// unnamed checks that no address has a name from debug data, and that the functions without a symbol have the reason.
func unnamed(t testing.TB, results []Result, reason Reason) {
	t.Helper()
	for i := range results {
		if lines := results[i].Lines; len(lines) > 1 || len(lines) == 1 && strings.HasSuffix(lines[0].File, "calls.c") {
			t.Fatalf("named as %+v", lines)
		}
		if len(results[i].Lines) == 0 && results[i].Reason != reason {
			t.Fatalf("%v, want %v", results[i].Reason, reason)
		}
	}
}

// expectReason checks that there are addresses without names that once had some, and that they have the reason.
func expectReason(t testing.TB, s *shipped, results []Result, reason Reason) {
	t.Helper()
	lost := 0
	for i, got := range results {
		if len(got.Lines) > 0 || len(s.want[i].Lines) == 0 {
			continue
		}
		if lost++; got.Reason != reason {
			t.Fatalf("%#x: %v, want %v", uint64(s.addresses[i]), got.Reason, reason)
		}
	}
	if lost == 0 {
		t.Error("no name is lost")
	}
}
