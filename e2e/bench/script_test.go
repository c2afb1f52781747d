package bench

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// store is a package with benchmarks. One leaks what the file size.go says, below stacks so deep that a comment cannot have them all;
// of another, Go's garbage collector decides when blocks are freed. LONG makes a name long.
var store = map[string]string{
	"go.mod": "module example.org/store\n\ngo 1.25.0\n\nrequire github.com/cgoheap/cgoheap v0.0.0\n\nreplace github.com/cgoheap/cgoheap => ROOT\n",
	"store.go": `package store

// #include <stdlib.h>
// void *store_leak(size_t size) { return malloc(size); }
import "C"

import (
	"runtime"
	"unsafe"
)

func LeakLONG(depth int) {
	if depth > 0 {
		LeakLONG(depth - 1)
		return
	}
	C.store_leak(size)
}

func Pair() {
	p := C.store_leak(40)
	if frees {
		C.free(p)
	}
}

type handle struct {
	block   unsafe.Pointer
	garbage [200 << 10]byte
}

func Open() {
	h := &handle{block: C.store_leak(1000)}
	runtime.AddCleanup(h, func(block unsafe.Pointer) { C.free(block) }, h.block)
}
`,
	"size.go":  "package store\n\nconst size = 1000\n",
	"frees.go": "package store\n\nconst frees = true\n",
	"store_test.go": `package store

import (
	"fmt"
	"testing"

	"github.com/cgoheap/cgoheap/nativebench"
)

func BenchmarkLeak(b *testing.B) {
	for i := range 16 {
		b.Run(fmt.Sprint(i), func(b *testing.B) {
			nativebench.Report(b)
			for range b.N {
				LeakLONG(50)
			}
		})
	}
}

func BenchmarkPair(b *testing.B) {
	nativebench.Report(b)
	for range b.N {
		Pair()
	}
}

func BenchmarkOpen(b *testing.B) {
	nativebench.Report(b)
	for range b.N {
		Open()
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
	module := filepath.Join(repository, "module") // not the repository's root
	if err := os.Mkdir(module, 0o700); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(filepath.Join(module, name), []byte(strings.NewReplacer("ROOT", root, "LONG", strings.Repeat("AndAgain", 15)).Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must(root, "go", "build", "-o", bin+"/cgoheap", "./cmd/cgoheap")
	for name, text := range store {
		write(name, text)
	}
	must(module, "go", "mod", "tidy")
	must(repository, "git", "init", "-q")
	must(repository, "git", "add", ".")
	must(repository, "git", "commit", "-q", "-m", "before")
	original := store["store_test.go"]
	for _, c := range []struct {
		about, file, text string
		code              int
		printed           []string
		comment           []string // nil: it is empty
	}{
		{"the same commit", "size.go", store["size.go"], 0, nil, []string{"benchmarks that keep their limits: 18."}},
		{"10 % more", "size.go", "package store\n\nconst size = 1100\n", 1, []string{"## example.org/store/BenchmarkLeak%2F9\n"},
			[]string{"<!-- native-memory.sh -->\n", "benchmarks that keep their limits: 2.", "store_leak", "## example.org/store/BenchmarkLeak%2F0\n", "of 4 limits exceeded", "more are in the log"}},
		{"a free is gone", "frees.go", "package store\n\nconst frees = false\n", 1, nil,
			[]string{"benchmarks that keep their limits: 17.", "## example.org/store/BenchmarkPair\n", "blocks in use"}},
		{"a benchmark that does not compile", "size.go", "package store\n\nconst size = none\n", 2, []string{"undefined: none"}, nil},
		{"one is gone, and one is new", "store_test.go", strings.Replace(original, "BenchmarkOpen", "BenchmarkOpened", 1), 0, nil,
			[]string{"Recorded before, not after: `example.org/store/BenchmarkOpen`", "Recorded after, not before: `example.org/store/BenchmarkOpened`"}},
		{"another profiler is running", "auto_test.go", "package store\n\nimport _ \"github.com/cgoheap/cgoheap/auto\"\n", 2, []string{"package auto is imported"}, nil},
		{"none records", "store_test.go", strings.ReplaceAll(strings.ReplaceAll(original, "nativebench.Report(b)", ""), "\"github.com/cgoheap/cgoheap/nativebench\"", ""),
			2, []string{"Nothing was recorded"}, nil},
	} {
		write(c.file, c.text)
		printed, err := run(module, "sh", filepath.Join(root, "docs/ci/native-memory.sh"), "HEAD", "./...")
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		comment, err := os.ReadFile(filepath.Join(module, "comment.md"))
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		code := 0
		if exit != nil {
			code = exit.ExitCode()
		}
		if code != c.code || !hasAll(printed, c.printed) || !hasAll(string(comment), c.comment) || (len(comment) > 0) != (c.comment != nil) || len(comment) > 65536 {
			t.Errorf("%s: exit code %d, want %d; printed:\n%.3000s\na comment of %d bytes:\n%.3000s", c.about, code, c.code, printed, len(comment), comment)
		}
		must(repository, "git", "clean", "-q", "-f")
		must(repository, "git", "checkout", "-q", ".")
	}
	if text, err := run(repository, "git", "worktree", "list"); err != nil || strings.Count(text, "\n") != 1 {
		t.Errorf("a working tree was left behind: %v\n%s", err, text)
	}
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
