package bench

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// store is a package with a benchmark. It leaks what the file size.go says.
var store = map[string]string{
	"go.mod": "module example.org/store\n\ngo 1.25.0\n\nrequire github.com/cgoheap/cgoheap v0.0.0\n\nreplace github.com/cgoheap/cgoheap => ROOT\n",
	"store.go": `package store

// #include <stdlib.h>
// void *store_leak(size_t size) { return malloc(size); }
import "C"

func Leak() { C.store_leak(size) }
`,
	"size.go": "package store\n\nconst size = 1000\n",
	"store_test.go": `package store

import (
	"testing"

	"github.com/cgoheap/cgoheap/nativebench"
)

func BenchmarkLeak(b *testing.B) {
	nativebench.Report(b)
	for range b.N {
		Leak()
	}
}
`,
}

// The script of docs/ci compares the benchmarks of two commits.
func TestScript(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin, repository := t.TempDir(), t.TempDir()
	run := func(folder, command string, arguments ...string) (string, error) {
		c := exec.CommandContext(t.Context(), command, arguments...)
		c.Dir = folder
		c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GOFLAGS=-mod=mod", "GOWORK=off", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		text, err := c.CombinedOutput()
		return string(text), err
	}
	must := func(folder, command string, arguments ...string) {
		t.Helper()
		if text, err := run(folder, command, arguments...); err != nil {
			t.Fatalf("%s %s: %v\n%s", command, strings.Join(arguments, " "), err, text)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(repository, name), []byte(strings.ReplaceAll(text, "ROOT", root)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must(root, "go", "build", "-o", bin+"/cgoheap", "./cmd/cgoheap")
	for name, text := range store {
		write(name, text)
	}
	must(repository, "go", "mod", "tidy")
	must(repository, "git", "init", "-q")
	must(repository, "git", "add", ".")
	must(repository, "git", "commit", "-q", "-m", "before")
	compare := func() (string, int) {
		t.Helper()
		text, err := run(repository, "sh", filepath.Join(root, "docs/ci/native-memory.sh"), "HEAD", "./...")
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		comment, err := os.ReadFile(filepath.Join(repository, "comment.md"))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if exit == nil {
			return string(comment), 0
		}
		return string(comment), exit.ExitCode()
	}
	if comment, code := compare(); code != 0 || !strings.Contains(comment, "3 limits kept") || !strings.Contains(comment, "## example.org/store/BenchmarkLeak.peak") {
		t.Errorf("the same commit: exit code %d\n%s", code, comment)
	}
	write("size.go", "package store\n\nconst size = 1100\n")
	if comment, code := compare(); code != 1 || !strings.Contains(comment, "of 3 limits exceeded") || !strings.Contains(comment, "store_leak") {
		t.Errorf("10 %% more: exit code %d\n%s", code, comment)
	}
	write("size.go", "package store\n\nconst size = none\n")
	if comment, code := compare(); code != 2 || comment != "" {
		t.Errorf("a benchmark that does not compile: exit code %d\n%s", code, comment)
	}
	if text, err := run(repository, "git", "worktree", "list"); err != nil || strings.Count(text, "\n") != 1 {
		t.Errorf("a working tree was left behind: %v\n%s", err, text)
	}
}
