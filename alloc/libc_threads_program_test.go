//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// linkage is a libc, and a way to link it.
type linkage struct {
	compiler, debian string
	flags            []string
}

var (
	static = []string{"-tags", "cgoheap_wrap", "-ldflags=-linkmode=external -extldflags=-static"}
	libcs  = map[string]linkage{
		"glibc, static": {"gcc", "gcc", static},
		"musl":          {"musl-gcc", "musl-tools", []string{"-ldflags=-linkmode=external"}},
		"musl, static":  {"musl-gcc", "musl-tools", static},
	}
)

// numbers builds a program of testdata, and returns the three numbers that it prints.
func (c *linkage) numbers(t *testing.T, name string) (n [3]int64) {
	t.Helper()
	if _, err := exec.LookPath(c.compiler); err != nil {
		t.Skipf("needs %s (Debian: %s)", c.compiler, c.debian)
	}
	program := filepath.Join(t.TempDir(), name)
	build := exec.Command("go", append(append([]string{"build", "-o", program}, c.flags...), "./testdata/"+name)...)
	build.Env = append(os.Environ(), "CC="+c.compiler, "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	if count, scanned := fmt.Sscan(string(out), &n[0], &n[1], &n[2]); err != nil || count != 3 {
		t.Fatalf("%v, %v\n%s", err, scanned, out)
	}
	return n
}

// Each libc, and each way to link it, links its threads in its own way.
func TestStacksOfThreadsOfOtherPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	for about, c := range libcs {
		t.Run(about, func(t *testing.T) {
			n := c.numbers(t, "stacks")
			before, truth, got := n[0], n[1], n[2]
			const touched, others = 20 * 512 << 10, 1 << 20
			if truth < touched || got < truth || got > truth+before+others {
				t.Errorf("the line has %d, before it had %d, and %d are known", got, before, truth)
			}
		})
	}
}

func TestStorageOfThreads(t *testing.T) {
	usual := linkage{"gcc", "gcc", nil}
	t.Run("glibc", func(t *testing.T) { usual.checkStorage(t) })
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	for about, c := range libcs {
		t.Run(about, func(t *testing.T) { c.checkStorage(t) })
	}
}

// checkStorage fails unless each thread has the variable, at the same place in its storage.
func (c *linkage) checkStorage(t *testing.T) {
	t.Helper()
	n := c.numbers(t, "threadlocal")
	if found, offsets, threads := n[0], n[1], n[2]; found != threads || offsets != 1 {
		t.Errorf("%d of %d threads, at %d places", found, threads, offsets)
	}
}
