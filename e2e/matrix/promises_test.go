package main

import (
	"os"
	"strings"
	"testing"
)

// promised returns the parts of rows' names in the table of docs/reliability.md, which come before tests outside of the matrix.
func promised(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Where it runs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var parts []string
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || cells[0] == "| promise" {
			continue
		}
		tests, _, _ := strings.Cut(strings.TrimSuffix(cells[1], " |"), ";")
		if !strings.HasPrefix(tests, "`") {
			parts = append(parts, strings.Split(tests, ", ")...)
		}
	}
	return parts
}

func TestEachPromiseHasARowAndEachRowIsPromised(t *testing.T) {
	parts := promised(t)
	if len(parts) < 20 {
		t.Fatalf("the table was not understood: %q", parts)
	}
	for _, part := range parts {
		if len(selected(rows(), []string{part})) == 0 {
			t.Errorf("no row has %q in its name", part)
		}
	}
	for _, r := range rows() {
		if len(selected([]row{r}, parts)) == 0 {
			t.Errorf("%q is not promised", r.name)
		}
	}
}
