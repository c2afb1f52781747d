//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Each libc, and each way to link it, links its threads in its own way.
func TestStacksOfThreadsOfOtherPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	static := []string{"-tags", "cgoheap_wrap", "-ldflags=-linkmode=external -extldflags=-static"}
	for about, c := range map[string]struct {
		compiler, debian string
		flags            []string
	}{
		"glibc, static": {"gcc", "gcc", static},
		"musl":          {"musl-gcc", "musl-tools", []string{"-ldflags=-linkmode=external"}},
		"musl, static":  {"musl-gcc", "musl-tools", static},
	} {
		t.Run(about, func(t *testing.T) {
			if _, err := exec.LookPath(c.compiler); err != nil {
				t.Skipf("needs %s (Debian: %s)", c.compiler, c.debian)
			}
			program := filepath.Join(t.TempDir(), "stacks")
			build := exec.Command("go", append(append([]string{"build", "-o", program}, c.flags...), "./testdata/stacks")...)
			build.Env = append(os.Environ(), "CC="+c.compiler, "CGO_ENABLED=1")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var before, truth, got int64
			out, err := exec.Command(program).CombinedOutput()
			if n, scanned := fmt.Sscan(string(out), &before, &truth, &got); err != nil || n != 3 {
				t.Fatalf("%v, %v\n%s", err, scanned, out)
			}
			const touched, others = 20 * 512 << 10, 1 << 20
			if truth < touched || got < truth || got > truth+before+others {
				t.Errorf("the line has %d, before it had %d, and %d are known", got, before, truth)
			}
		})
	}
}
