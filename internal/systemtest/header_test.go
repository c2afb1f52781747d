package systemtest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	cComment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cAttribute = regexp.MustCompile(`\s*__attribute__\(\(\w+\)\)`)
)

// headerDeclarations lists the functions that cgoheap.h declares: the calls, and the functions that they look for in the program.
// Programs contain copies of the header, so both are promised.
func headerDeclarations(t *testing.T) (lines []string) {
	t.Helper()
	header, err := os.ReadFile("../../cgo/cgoheap.h")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(cComment.ReplaceAllString(string(header), "")) {
		line = strings.TrimRight(line, "\n;")
		if strings.Contains(line, "(") && !strings.ContainsRune("\t# ", rune(line[0])) {
			lines = append(lines, cAttribute.ReplaceAllString(line, ""))
		}
	}
	return lines
}
