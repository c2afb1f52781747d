package systemtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkIn     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeBlock  = regexp.MustCompile("(?s)```.*?```")
	linkedText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInLinks = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// headings returns what links to a document may have behind #, as GitHub makes it of headings.
func headings(text string) map[string]bool {
	list := make(map[string]bool)
	for line := range strings.Lines(codeBlock.ReplaceAllString(text, "")) {
		if title, is := strings.CutPrefix(line, "#"); is {
			title = linkedText.ReplaceAllString(strings.TrimSpace(strings.TrimLeft(title, "#")), "$1")
			list[strings.ReplaceAll(notInLinks.ReplaceAllString(strings.ToLower(title), ""), " ", "-")] = true
		}
	}
	return list
}

func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "out" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, link := range linkIn.FindAllStringSubmatch(strings.ReplaceAll(codeBlock.ReplaceAllString(string(text), ""), "\n", " "), -1) {
			if strings.Contains(link[1], ":") {
				continue // to elsewhere
			}
			checked++
			name, heading, _ := strings.Cut(link[1], "#")
			to := path
			if name != "" {
				to = filepath.Join(filepath.Dir(path), name)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %s: there is no such file", path, link[1])
			} else if heading != "" {
				text, err := os.ReadFile(to)
				if err != nil || !headings(string(text))[heading] {
					t.Errorf("%s: %s: there is no such heading, %v", path, link[1], err)
				}
			}
		}
		return nil
	})
	if err != nil || checked < 300 {
		t.Errorf("%v; %d links were checked", err, checked)
	}
}

// Who has thirty seconds reads no more.
func TestTheReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(text))); words > 900 {
		t.Errorf("README.md has %d words, more than 900", words)
	}
}
