//go:build linux && cgo

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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

var (
	workshop string
	shop     sync.Mutex
)

func TestMain(m *testing.M) {
	var err error
	if workshop, err = os.MkdirTemp("", "cgoheap-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(workshop)
	os.Exit(code)
}

// made makes a file in the workshop unless it is there, and returns its path.
func made(t *testing.T, name string, env []string, command ...string) string {
	t.Helper()
	shop.Lock()
	defer shop.Unlock()
	path := filepath.Join(workshop, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	command = append(command[:len(command)-1:len(command)-1], "-o", path, command[len(command)-1])
	maker := exec.Command(command[0], command[1:]...)
	maker.Env = append(os.Environ(), env...)
	if out, err := maker.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
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

// A run is what one run of the program left.
type run struct {
	executable string
	path       string // of the profile
	profile    *profile.Profile
	truth      truth.Report
}

// exact runs the program with these flags.
func (b build) exact(t *testing.T, flags ...string) run {
	t.Helper()
	dir := t.TempDir()
	if b.name == race.name && toolchain.Target(t).Emulated() {
		t.Skip("the race detector's runtime finds no room in an emulator's address space")
	}
	r := run{executable: b.executable(t), path: filepath.Join(dir, "profile.pb.gz")}
	facts := filepath.Join(dir, "truth.json")
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
