//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package preload

import (
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

// If the command is gone when the program ends in order, the box goes too.
func TestABoxThatNobodyWaitsForIsRemoved(t *testing.T) {
	sums := built(t, "gcc", "sums.c")
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for end, boxes := range map[string]int{"each": 0, "kill": 1} {
		dir := toolchain.Memory(t)
		s := Settings{Parent: gone.Process.Pid, SampleBytes: 1, TableBytes: 64 << 20, Children: "all", Boxes: dir}
		c := exec.Command(sums, end)
		c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), Variable+"="+s.String())
		if r := ran(t, dir, c); len(r.boxes) != boxes {
			t.Errorf("%s: %q", end, r.boxes)
		}
	}
}
