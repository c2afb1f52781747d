package cgo

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders are those with C of many files, and how much is found in each at least if it is understood.
var folders = map[string]struct{ parts, objects, edges, named, files, symbols int }{
	".":                {30, 80, 200, 40, 100, 100},
	"../internal/twin": {15, 15, 30, 20, 40, 50},
}

// fileName is the name of a file in the package's comment, or a pattern for several: live.c, walk*.c, gate*.
var fileName = regexp.MustCompile(`\b[a-z][a-z0-9_]*(?:\*(?:\.[a-z]+)?|\.(?:c|h|cc|go)\b)`)

// mapOf returns the names of files in the comment of the package in a folder.
func mapOf(t *testing.T, folder string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, "doc.go"), nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	return fileName.FindAllString(file.Doc.Text(), -1)
}

// stem is a file's name without its ending.
func stem(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }

// filesIn returns the files of a folder.
func filesIn(t *testing.T, folder string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			files = append(files, e.Name())
		}
	}
	return files
}

// onMap returns the files that the names stand for. A name stands for a file and for what accompanies it: live.c for live.h
// and live.go, too.
func onMap(names, files []string) []string {
	var found []string
	for _, f := range files {
		if slices.ContainsFunc(names, func(name string) bool {
			is, _ := filepath.Match(name, f)
			same, _ := filepath.Match(stem(name), stem(f))
			return is || same
		}) {
			found = append(found, f)
		}
	}
	return found
}

func TestTheMapOfFiles(t *testing.T) {
	for folder, least := range folders {
		names, files := mapOf(t, folder), filesIn(t, folder)
		if len(names) < least.named || len(files) < least.files {
			t.Fatalf("%s was not understood: %q, %q", folder, names, files)
		}
		found := onMap(names, files)
		for _, f := range files {
			if f != "doc.go" && !strings.HasSuffix(f, "_test.go") && !slices.Contains(found, f) {
				t.Errorf("%s/doc.go does not say what %s is for", folder, f)
			}
		}
		for _, name := range names {
			if len(onMap([]string{name}, files)) == 0 {
				t.Errorf("%s/doc.go mentions %s, and there is no such file", folder, name)
			}
		}
	}
}
