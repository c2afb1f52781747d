package layering

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)`)

// eachDocument calls f with each page of the documentation.
func eachDocument(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "out" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		f(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	links := 0
	eachDocument(t, func(path, text string) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if links++; strings.Contains(found[1], "://") || strings.HasPrefix(found[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(found[1]))); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	if links < 50 {
		t.Errorf("%d links", links)
	}
}

var goCode = regexp.MustCompile("(?s)\n```go\n(.*?)\n```\n")

func TestGoCodeOfTheDocumentationParses(t *testing.T) {
	blocks := 0
	eachDocument(t, func(path, text string) {
		for _, found := range goCode.FindAllStringSubmatch(text, -1) {
			blocks++
			_, outside := parser.ParseFile(token.NewFileSet(), path, "package p;"+found[1], 0)
			_, inside := parser.ParseFile(token.NewFileSet(), path, "package p; func _() {"+found[1]+"\n}", 0)
			if outside != nil && inside != nil {
				t.Errorf("%v:\n%s", inside, found[1])
			}
		}
	})
	if blocks < 4 {
		t.Errorf("%d blocks of Go code", blocks)
	}
}

func TestEachDecisionHasANumberOfItsOwn(t *testing.T) {
	files, err := filepath.Glob("../../docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if want := fmt.Sprintf("%04d-", i+1); !strings.HasPrefix(filepath.Base(file), want) {
			t.Fatalf("%s, want %s", file, want)
		}
	}
}
