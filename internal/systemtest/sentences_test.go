package systemtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sources returns the text of the tree's Go files and of the page's own, without the ends of strings that go on in the next line, and that of
// its tests.
func sources(t *testing.T) (product, tests string) {
	t.Helper()
	var texts [2]strings.Builder
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "out"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" && filepath.Dir(path) != filepath.Join("..", "..", "internal", "page", "files"):
			return nil
		}
		text, err := os.ReadFile(path)
		which := 0
		if strings.HasSuffix(path, "_test.go") {
			which = 1
		}
		texts[which].Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"\s*\+\s*"`).ReplaceAllString(texts[0].String(), ""), texts[1].String()
}

// What docs/sentences.md lists is what the code prints, and each has a test.
func TestListedSentencesAreThoseOfTheCode(t *testing.T) {
	list, err := os.ReadFile("../../docs/sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	product, tests := sources(t)
	rows := 0
	for line := range strings.Lines(string(list)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || !strings.HasPrefix(cells[0], "| `") {
			continue
		}
		rows++
		sentence := strings.Trim(cells[0], "|` ")
		for part := range strings.SplitSeq(sentence, "…") {
			if part = strings.Trim(part, " :,"); !strings.Contains(product, part) {
				t.Errorf("no code has %q of %q", part, sentence)
			}
		}
		names := regexp.MustCompile(`Test\w+`).FindAllString(cells[2], -1)
		if len(names) == 0 {
			t.Errorf("%q has no test", sentence)
		}
		for _, name := range names {
			if !strings.Contains(tests, "func "+name+"(") {
				t.Errorf("%s, which holds %q, is no test", name, sentence)
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d rows were understood", rows)
	}
}

// sentenceFiles are those whose strings are sentences that draw conclusions.
var sentenceFiles = []string{
	"internal/suspects/sentence.go", "internal/suspects/finding.go", "internal/suspects/outside.go", "internal/recovery/cause.go", "internal/recovery/verdict.go",
	"internal/recovery/holders.go",
}

// What the code says is listed in docs/sentences.md, in parts: strings of three words or more, between the figures and names in them.
func TestSentencesOfTheCodeAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.ReplaceAll(string(text), "`", "")
	verbs := regexp.MustCompile("%[-+.0-9]*[a-z]")
	for _, name := range sentenceFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		ast.Inspect(file, func(n ast.Node) bool {
			literal, is := n.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range verbs.Split(strings.ReplaceAll(strings.ReplaceAll(value, "`", ""), "%%", "%"), -1) {
				part = strings.Trim(part, " :;,().%…")
				if len(strings.Fields(part)) < 3 {
					continue
				}
				if parts++; !strings.Contains(list, part) {
					t.Errorf("%s: %q is not in docs/sentences.md", name, part)
				}
			}
			return true
		})
		if parts == 0 {
			t.Errorf("%s has no sentences", name)
		}
	}
}
