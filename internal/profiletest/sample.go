package profiletest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	figures = regexp.MustCompile(`[-+]?[0-9][0-9.,]*( ([KMG]i)?B\b)?`)
	bars    = regexp.MustCompile(`[#█]+`)
)

// masked returns a line without what differs from run to run: figures with their units, bars and the width of columns.
func masked(line string) string {
	line = bars.ReplaceAllString(figures.ReplaceAllString(line, "N"), "")
	return strings.Join(strings.Fields(line), " ")
}

// CheckSample compares the sample of a command in a document with what the command prints now. The sample is a block that begins with
// "$ COMMAND". Each of its lines must have been printed, with any figures; what a line has from … on is left out.
func CheckSample(t *testing.T, document, command, printed string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```\n$ "+command+"\n")
	sample, _, closed := strings.Cut(after, "\n```")
	if !found || !closed {
		t.Fatalf("%s has no sample of %s", document, command)
	}
	var now []string
	for line := range strings.Lines(printed) {
		now = append(now, masked(line))
	}
	checked := 0
	for _, line := range strings.Split(sample, "\n") {
		kept, _, cut := strings.Cut(line, "…")
		if kept = masked(kept); kept == "" {
			continue
		}
		checked++
		if !printedAs(now, kept, cut) {
			t.Errorf("%s: %s did not print %q, but\n%s", document, command, line, printed)
		}
	}
	if checked == 0 {
		t.Errorf("%s: the sample of %s is empty", document, command)
	}
}

func printedAs(lines []string, want string, begins bool) bool {
	for _, line := range lines {
		if line == want || begins && strings.HasPrefix(line, want) {
			return true
		}
	}
	return false
}
