package main

import (
	"regexp"
	"strings"
)

// A skip is a test that was skipped.
type skip struct {
	Package, Test, Reason string
}

// logged is the first line of something that a test logged.
var logged = regexp.MustCompile(`^\s*[^\s:]+\.go:\d+: (.*)`)

// reason returns the last text that a test logged, in one line: that is the one it was skipped with. "" if it logged none.
func (p *running) reason(test string) string {
	var text []string
	for _, line := range p.lines {
		said := strings.TrimSpace(line.Output)
		if line.Test != test || strings.HasPrefix(said, "=== ") || strings.HasPrefix(said, "--- ") || said == "PASS" {
			continue
		}
		if match := logged.FindStringSubmatch(line.Output); match != nil {
			text, said = nil, match[1]
		}
		text = append(text, strings.TrimSpace(said))
	}
	return strings.TrimSpace(strings.Join(text, " "))
}
