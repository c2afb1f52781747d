package systemtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources returns the text of the tree's Go files, without the ends of strings that go on in the next line, and that of its tests.
func sources(t *testing.T) (product, tests string) {
	t.Helper()
	var texts [2]strings.Builder
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "out"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
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
