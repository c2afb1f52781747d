package layering

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// records is the condition under which the profiler records, and no file name can say it: docs/decisions/0033-build-lines.md.
const records = "linux && (amd64 || arm64) && cgo && !asan && !msan"

// lines are the conditions that name the system, and may therefore differ from records by mistake.
var lines = []string{
	records,
	"!linux || (!amd64 && !arm64) || !cgo || asan || msan",
	"(!linux || (!amd64 && !arm64) || !cgo) && !asan && !msan", // of the unsupported, those without a sanitizer
	records + " && cgoheap_wrap", records + " && !cgoheap_wrap", records + " && cgoheap_operators && !cgoheap_wrap",
	"linux && arm64 && cgo && !asan && !msan",
	"!linux",
	"linux && (amd64 || arm64) && cgo", // of a program that is built elsewhere too, and run there
	"linux && cgo",                     // of a test of internal/victim
}

// A copy of a long condition that differs in one word leaves a file out of one build, and nobody notices.
func TestBuildLinesAreOfOneList(t *testing.T) {
	for file, line := range buildLines(t) {
		if strings.Contains(line, "linux") && onlyOnLinux(filepath.ToSlash(file)) {
			t.Errorf("%s is built on Linux with cgo only, and needs no such line: %s", file, line)
		} else if strings.Contains(line, "linux") && !slices.Contains(lines, line) {
			t.Errorf("%s: not on the list: %s", file, line)
		}
	}
}

// onlyOnLinux reports whether nobody builds a file elsewhere. Without cgo, the go command leaves out the files that import "C",
// which a test cannot, and all C code.
func onlyOnLinux(file string) bool {
	return strings.HasPrefix(file, "e2e/") || strings.HasPrefix(file, "bench/") ||
		strings.HasPrefix(file, "internal/victim/") && !strings.HasSuffix(file, "_test.go")
}

// buildLines returns the condition of each file of the repository that has one.
func buildLines(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "out") {
			return filepath.SkipDir
		}
		if !isGo(path) && !isC(path) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("../..", path)
		for line := range strings.Lines(string(text)) {
			if condition, ok := strings.CutPrefix(line, "//go:build "); ok {
				found[name] = strings.TrimSpace(condition)
			}
		}
		return err
	})
	if err != nil || len(found) < 100 {
		t.Fatal(len(found), err)
	}
	return found
}
