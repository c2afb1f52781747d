package auto

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// variables returns the names that a pattern finds in Go files, doc.go or all others.
func variables(t *testing.T, pattern string, documentation bool) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || (file == "doc.go") != documentation {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			names[found[1]] = true
		}
	}
	return names
}

func TestEachVariableIsDocumented(t *testing.T) {
	read, told := variables(t, `"(CGOHEAP(?:_\w+)?)"`, false), variables(t, `(?m)^//\t(CGOHEAP\w*) `, true)
	if len(read) == 0 {
		t.Fatal("no variable was found")
	}
	for name := range read {
		if !told[name] {
			t.Errorf("doc.go does not list %s", name)
		}
	}
	for name := range told {
		if !read[name] {
			t.Errorf("doc.go lists %s, and nothing reads it", name)
		}
	}
}
