package e2e

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/e2e/truth"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A build is a way to build the program exact.
type build struct {
	name  string
	flags []string
	env   []string
}

var (
	plain    = build{name: "plain"}
	stripped = build{name: "stripped", flags: []string{"-ldflags=-s -w"}}
	pie      = build{name: "pie", flags: []string{"-buildmode=pie"}}
	race     = build{name: "race", flags: []string{"-race"}}
	dwarf4   = build{name: "dwarf4", env: []string{"GOEXPERIMENT=nodwarf5"}}
	builds   = []build{plain, stripped, pie, race}
)

// long leaves a test out of make test.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
}

var shop *toolchain.Workshop

func TestMain(m *testing.M) { toolchain.RunWith(&shop, m) }

// made returns the path of a file in the workshop, which the command makes at the first call. The command's last word is
// what it builds.
func made(t *testing.T, name string, env []string, command ...string) string {
	t.Helper()
	path, err := shop.Make(name, func(path string) error {
		last := len(command) - 1
		return toolchain.Tool{Env: env, Words: append(slices.Clone(command[:last]), "-o", path, command[last])}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// executable is the program exact, built that way.
func (b build) executable(t *testing.T) string {
	t.Helper()
	command := append([]string{"go", "build"}, b.flags...)
	return made(t, "exact-"+b.name, b.env, append(command, "./exact")...)
}

func plugin(t *testing.T) string {
	t.Helper()
	return made(t, "plugin.so", nil, toolchain.Target(t).Tool(t, "gcc"), "-O2", "-g", "-fPIC", "-shared", "../internal/victim/testdata/plugin.c")
}

// A run has the results of one run of the program.
type run struct {
	executable string
	path       string // of the profile
	profile    *profile.Profile
	truth      truth.Report
}

// runs are the runs so far, by build and flags. Tests only read their results.
var runs = make(map[string]run)

// exact returns a run of the program with these flags. Tests share it.
func (b build) exact(t *testing.T, flags ...string) run {
	t.Helper()
	if b.name != plain.name {
		long(t)
	}
	if b.name == race.name && toolchain.Target(t).Emulated() {
		t.Skip("the race detector's runtime finds no room in an emulator's address space")
	}
	key := strings.Join(append([]string{"run", b.name}, flags...), " ")
	if _, done := runs[key]; !done {
		runs[key] = b.run(t, shop.Path(key), flags)
	}
	return runs[key]
}

func (b build) run(t *testing.T, path string, flags []string) run {
	t.Helper()
	r := run{executable: b.executable(t), path: path + ".pb.gz"}
	facts := path + ".json"
	command := toolchain.Target(t).Run(r.executable, append(flags, "-plugin", plugin(t), "-profile", r.path, "-truth", facts)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	data, err := os.ReadFile(r.path)
	if err != nil {
		t.Fatal(err)
	}
	if r.profile, err = profile.Parse(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if r.truth, err = truth.Read(facts); err != nil {
		t.Fatal(err)
	}
	return r
}
