package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// what a program sees of the profiler.
const program = `package main

import (
	"errors"
	"fmt"

	"github.com/cgoheap/cgoheap"
)

func main() {
	p, err := cgoheap.Start(cgoheap.Config{})
	fmt.Println(p == nil, errors.Is(err, cgoheap.ErrUnsupported), errors.Is(err, cgoheap.ErrRunning), err)
}
`

// goTool runs go with the environment on the program, in this module.
func goTool(t *testing.T, environment string, arguments ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", append(arguments, path)...)
	command.Env = append(os.Environ(), strings.Fields(environment)...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s go %s: %v\n%s", environment, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

func TestPlatformsThatCannotRecord(t *testing.T) {
	readSources(t)
	for _, environment := range []string{"CGO_ENABLED=0 GOOS=darwin GOARCH=arm64", "CGO_ENABLED=0 GOOS=linux GOARCH=arm64"} {
		t.Run("a program builds with "+environment, func(t *testing.T) {
			if testing.Short() {
				t.Skip("long: make test-all runs it")
			}
			goTool(t, environment, "build", "-o", os.DevNull)
		})
	}

	t.Run("without cgo, Start is ErrUnsupported and says why", func(t *testing.T) {
		got := goTool(t, "CGO_ENABLED=0", "run")
		reason := "recording needs cgo; this was built with CGO_ENABLED=0"
		if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
			reason = "recording needs linux/amd64 or linux/arm64; this is " + runtime.GOOS + "/" + runtime.GOARCH
		}
		if want := "true true false cgoheap: not supported: " + reason + "\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// readSources reads the files that only other platforms build, so that go test knows that its last result depends on them.
func readSources(t *testing.T) {
	t.Helper()
	for _, pkg := range []string{".", "alloc", "cgo", "mappings", "symbolize", "pprof", "internal/unwind", "stack", "internal/dump", "internal/elffile"} {
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(pkg, err)
		}
		for _, file := range files {
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
