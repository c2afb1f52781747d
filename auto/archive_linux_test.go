//go:build (amd64 || arm64) && cgo && !asan && !msan

package auto

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A C program that contains the import lives on with SIGUSR2, and what it does with that itself stays as it is.
func TestASignalOfAProgramInCStaysItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	folder := t.TempDir()
	archive, host := filepath.Join(folder, "archive.a"), filepath.Join(folder, "host")
	for _, tool := range []toolchain.Tool{
		{Words: []string{"go", "build", "-buildmode=c-archive", "-o", archive, "./testdata/archive"}},
		{Words: []string{"gcc", "-o", host, "testdata/archive/host/host.c", archive}},
	} {
		if err := tool.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for does, expected := range map[string]struct {
		prints, logs string
	}{
		"nothing":           {"0 signals, 5 dumps", ""},
		"handles it before": {"5 signals, 5 dumps", ""},
		"handles it later":  {"5 signals, 0 dumps", "another handler of the signal"},
		"waits for it":      {"5 signals, 0 dumps", "may wait for it by sigwait"},
	} {
		t.Run(does, func(t *testing.T) {
			hangs, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			command := exec.CommandContext(hangs, host, does)
			command.Env = append(os.Environ(), "CGOHEAP_DUMP_DIR="+t.TempDir())
			input, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			output, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			command.Stderr = command.Stdout
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			text := ""
			for lines := bufio.NewScanner(output); lines.Scan(); {
				text += lines.Text() + "\n"
				if strings.Contains(text, "dumps\n") && strings.Contains(text, expected.logs) {
					_ = input.Close() // nothing more is awaited
				}
			}
			if err := command.Wait(); err != nil || !strings.Contains(text, expected.prints+"\n") {
				t.Errorf("%v, want %q:\n%s", err, expected.prints, text)
			}
		})
	}
}
