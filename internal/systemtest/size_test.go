package systemtest

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	sizes      = "../../docs/measurements/size.md"
	sizesBegin = "<!-- Written by go test ./internal/systemtest -run Sizes -update. -->\n"
	sizesEnd   = "<!-- Written until here. -->\n"
)

// notProduct are folders whose code is an example, a benchmark, a tool, or made for tests.
var notProduct = []string{
	"bench", "e2e", "examples", "tools", "internal/victim", "internal/systemtest", "internal/toolchain", "internal/goparts", "internal/profiletest", "internal/testonly", "internal/layering",
}

// size is that of a package, with its comments and empty lines.
type size struct {
	folder, what    string
	files, lines, c int
}

// sizesOf returns the sizes of the product's packages, by their folders, ascending.
func sizesOf(t *testing.T) []size {
	t.Helper()
	var all []size
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("../..", path)
		if d.IsDir() {
			if slices.Contains(append(notProduct, "out", "testdata"), name) || d.Name() == "testdata" || d.Name() != "." && d.Name()[0] == '.' && d.Name() != ".." {
				return fs.SkipDir
			}
			return nil
		}
		extension := filepath.Ext(path)
		if strings.HasSuffix(path, "_test.go") || !slices.Contains([]string{".go", ".c", ".h", ".cc"}, extension) {
			return nil
		}
		text, err := os.ReadFile(path)
		if folder := filepath.Dir(name); len(all) == 0 || all[len(all)-1].folder != folder {
			all = append(all, size{folder: folder})
		}
		s := &all[len(all)-1]
		lines := bytes.Count(text, []byte("\n"))
		s.files++
		s.lines += lines
		if extension == ".go" {
			s.what = max(s.what, purpose(path, text))
		} else {
			s.c += lines
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b size) int { return strings.Compare(a.folder, b.folder) })
	for i := len(all) - 1; i > 0; i-- { // a folder is left for those in it, and come back to
		if a, b := &all[i-1], &all[i]; a.folder == b.folder {
			*a = size{a.folder, max(a.what, b.what), a.files + b.files, a.lines + b.lines, a.c + b.c}
			all = slices.Delete(all, i, i+1)
		}
	}
	return all
}

// purpose returns what the comment of a package says that it does; "" if the file does not have it.
func purpose(path string, text []byte) string {
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil || file.Doc == nil {
		return ""
	}
	for sentence := range strings.SplitSeq(strings.ReplaceAll(file.Doc.Text(), "\n", " "), ". ") {
		words := strings.Fields(sentence)
		subject := 1 // It
		if words[0] == "Package" || words[0] == "Command" {
			subject = 2
		}
		sentence, _, _ = strings.Cut(strings.TrimSuffix(strings.Join(words[subject:], " "), "."), ": ")
		if !strings.HasPrefix(sentence, "serves cgoheap alone") {
			return strings.ReplaceAll(sentence, "|", "&#124;")
		}
	}
	return ""
}

// table is the sizes as size.md has them.
func table(all []size) string {
	total := size{}
	for _, s := range all {
		total.files, total.lines, total.c = total.files+s.files, total.lines+s.lines, total.c+s.c
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d files have %d lines, %d of them C; on average %d.\n\n| folder | files | lines | of which C | it … |\n|---|---:|---:|---:|---|\n",
		total.files, total.lines, total.c, total.lines/total.files)
	for _, s := range all {
		fmt.Fprintf(&text, "| `%s` | %d | %d | %d | %s |\n", s.folder, s.files, s.lines, s.c, s.what)
	}
	return text.String()
}

// The table of size.md is that of the tree, or of one that was larger or smaller by at most a fiftieth.
func TestSizesAreThoseOfTheTree(t *testing.T) {
	text, err := os.ReadFile(sizes)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), sizesBegin)
	old, after, found := strings.Cut(rest, sizesEnd)
	if !found {
		t.Fatalf("%s lacks the comments between which the table is written", sizes)
	}
	all := sizesOf(t)
	if *update {
		if err := os.WriteFile(sizes, []byte(before+sizesBegin+table(all)+sizesEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	var files, lines, now int
	if _, err := fmt.Sscanf(old, "%d files have %d lines", &files, &lines); err != nil {
		t.Fatalf("%s: %v", sizes, err)
	}
	for _, s := range all {
		now += s.lines
		if s.what == "" {
			t.Errorf("no comment says what the package in %s is for", s.folder)
		}
		if !strings.Contains(old, "| `"+s.folder+"` |") {
			t.Errorf("%s lacks %s: go test ./internal/systemtest -run Sizes -update", sizes, s.folder)
		}
	}
	if 50*max(now-lines, lines-now) > lines {
		t.Errorf("the product has %d lines, and %s says %d: go test ./internal/systemtest -run Sizes -update", now, sizes, lines)
	}
}
