//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package auto

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// build builds the program of that name in testdata and returns a function that runs it.
func build(t *testing.T, name string, variables ...string) func(arguments ...string) (out string, err error) {
	t.Helper()
	path, dir := filepath.Join(t.TempDir(), name), t.TempDir()
	toolchain.Target(t).Build(t, "go", "build", "-o", path, "./testdata/"+name)
	return func(arguments ...string) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, path, arguments...)
		command.Env = append(append(os.Environ(), "CGOHEAP_DUMP_DIR="+dir), variables...)
		out, err := command.CombinedOutput()
		return string(out), err
	}
}

func TestGoroutinesOfTheImport(t *testing.T) {
	const alone = "1 goroutines, 1 in their stacks\n"
	run := build(t, "idle")

	t.Run("the program sees none when main begins", func(t *testing.T) {
		if out, err := run(); err != nil || out != alone {
			t.Errorf("%v\n%s", err, out)
		}
	})

	t.Run("and none when a dump was made", func(t *testing.T) {
		out, err := run("dump", "wait")
		if err != nil || !strings.HasPrefix(out, alone) || !strings.HasSuffix(out, alone) || strings.Contains(out, "panicked") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func TestAProgramThatClosesAllDescriptorsLives(t *testing.T) {
	out, err := build(t, "closing")()
	if strings.HasPrefix(out, "no close_range:") {
		t.Skip("the kernel allows no call of close_range")
	}
	if err != nil || !strings.Contains(out, "lives: <nil>\n") { // beside what is logged
		t.Errorf("%v\n%.1000s", err, out)
	}
}
