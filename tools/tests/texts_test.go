package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A skip that happens on some machines only would otherwise be found there.
func TestEveryTextThatATestSkipsWithIsInTheList(t *testing.T) {
	list, err := readReasons(reasonsText)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	err = filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "tests" || entry.Name() == "out" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		for _, text := range skipTexts(t, path) {
			found++
			if r, _ := list.of(text); r == nil {
				t.Errorf("%s skips a test with %q, which reasons.txt does not have", path, text)
			}
		}
		return nil
	})
	if err != nil || found < 50 {
		t.Errorf("%d texts are found: %v", found, err)
	}
}

var verbs = regexp.MustCompile(`%[#+.0-9]*[a-z]`)

// skipTexts returns the texts with which the functions of a file skip tests, except texts that begin with a value; where a
// value follows, it is 1.
func skipTexts(t *testing.T, path string) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || function.Sel.Name != "Skip" && function.Sel.Name != "Skipf" {
			return true
		}
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		if text, _ := strconv.Unquote(literal.Value); !strings.HasPrefix(text, "%") {
			texts = append(texts, verbs.ReplaceAllString(text, "1"))
		}
		return true
	})
	return texts
}
