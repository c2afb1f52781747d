//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package preload

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestChildrenThatNobodyNamedAreNotRecorded(t *testing.T) {
	sums := built(t, "gcc", "sums.c")
	for children, boxes := range map[string]int{"none": 1, "other,sums": 1, "sums-gcc,other": 2, "other,sums-gcc": 2, "all": 2} {
		for _, arguments := range [][]string{{"fork"}, {"fork-exec"}} {
			if r := record(t, library(t, here), children, exec.Command(sums, arguments...)); len(r.boxes) < boxes || boxes == 1 && len(r.boxes) != 1 {
				t.Errorf("%s %v: %q", children, arguments, r.boxes)
			}
		}
	}
}

// python3 may be a link to python3.11, which is the name of the executable.
func TestChildrenAreNamedAsTheyAreCalled(t *testing.T) {
	link := filepath.Join(t.TempDir(), "called")
	if err := os.Symlink(built(t, "gcc", "sums.c"), link); err != nil {
		t.Fatal(err)
	}
	for _, children := range []string{"other,called", "sums-gcc"} {
		for how, boxes := range map[string]int{"fork": 2, "fork-exec": 3} { // a child has one of its own before it executes
			if r := record(t, library(t, here), children, exec.Command(link, how)); len(r.boxes) != boxes {
				t.Errorf("%s, %s: %q", children, how, r.boxes)
			}
		}
	}
}

// namespaces skips the test where the kernel makes none.
func namespaces(t *testing.T) {
	t.Helper()
	needs(t, "unshare")
	if err := exec.Command("unshare", "-Urmpf", "true").Run(); err != nil {
		t.Skip("the kernel allows no namespaces: ", err)
	}
}

// In another PID namespace, the number of the command and those in the names of boxes are those of other processes.
func TestProcessesOfOtherNamespacesAreNotRecorded(t *testing.T) {
	namespaces(t)
	stranger := built(t, "gcc", "stranger.c")
	for name, c := range map[string]struct {
		children string
		command  *exec.Cmd
	}{
		"executed":           {"all", exec.Command("unshare", "-Urpf", built(t, "gcc", "sums.c"), "each")},
		"forked":             {"all", exec.Command(stranger)},
		"of the same number": {"none", exec.Command(stranger)},
	} {
		r := record(t, library(t, here), c.children, c.command)
		if r.code == 77 {
			t.Skip("the kernel allows no namespaces: ", name)
		}
		if len(r.boxes) != 1 || r.errors != "" || !strings.Contains(r.boxes[0], fmt.Sprintf(".%d.", c.command.Process.Pid)) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// If the command is gone when the program ends in order, the box goes too, and the directory with the last box; but not if the command has
// left word that boxes are wanted.
func TestABoxThatNobodyWaitsForIsRemoved(t *testing.T) {
	for _, c := range []struct {
		end    string
		wanted bool
		boxes  int
	}{{"each", false, 0}, {"fork", false, 0}, {"each", true, 1}, {"kill", false, 1}} {
		dir := toolchain.Memory(t)
		if c.wanted {
			if err := os.WriteFile(filepath.Join(dir, "wanted"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := orphan(t, dir, c.end)
		if _, err := os.Stat(dir); len(r.boxes) != c.boxes || errors.Is(err, os.ErrNotExist) != (c.boxes == 0) {
			t.Errorf("%+v: %q, %v", c, r.boxes, err)
		}
	}
}

// Nobody waits for a child that begins when the directory is gone.
func TestAChildThatBeginsWithoutTheDirectory(t *testing.T) {
	if r := orphan(t, filepath.Join(t.TempDir(), "gone"), "each"); r.code != 3 || r.errors != "" {
		t.Errorf("%+v", r)
	}
}

// orphan runs a program as a child of one that was recorded, by a command that is gone.
func orphan(t *testing.T, dir, end string) recorded {
	t.Helper()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	s := Settings{Parent: gone.Process.Pid, SampleBytes: 1, TableBytes: 64 << 20, Children: "all", Boxes: dir}
	c := exec.Command(built(t, "gcc", "sums.c"), end)
	c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), Variable+"="+s.String())
	return ran(t, dir, c)
}
