package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

//go:embed reasons.txt
var reasonsText string

// A reason is one for which a test may be skipped.
type reason struct {
	pattern  *regexp.Regexp // of the reason's beginning
	sentence string
	lacking  bool // not where everything is installed
}

type reasons []reason

// The headings in the text.
const (
	anywhere = "[anywhere]"
	lacking  = "[where something is not installed]"
)

// readReasons reads patterns, each on a line that is followed by an indented sentence, below two headings.
func readReasons(text string) (reasons, error) {
	var list reasons
	heading, open := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		sentence, indented := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line == anywhere || line == lacking:
			heading = line
		case indented && open:
			list[len(list)-1].sentence, open = sentence, false
		case indented || open || heading == "":
			return nil, fmt.Errorf("reasons.txt: %q: want a heading, then pairs of a pattern and a sentence", line)
		default:
			pattern, err := regexp.Compile("^(?:" + line + ")")
			if err != nil {
				return nil, fmt.Errorf("reasons.txt: %w", err)
			}
			if list.has(pattern) {
				return nil, fmt.Errorf("reasons.txt: %q: the pattern is there twice", line)
			}
			list, open = append(list, reason{pattern: pattern, lacking: heading == lacking}), true
		}
	}
	if open {
		return nil, fmt.Errorf("reasons.txt: the last pattern has no sentence")
	}
	return list, nil
}

func (list reasons) has(pattern *regexp.Regexp) bool {
	return slices.ContainsFunc(list, func(r reason) bool { return r.pattern.String() == pattern.String() })
}

// of returns the first reason whose pattern matches the text, and the part of the text that it matches.
func (list reasons) of(text string) (r *reason, matched string) {
	for i := range list {
		if at := list[i].pattern.FindStringIndex(text); at != nil {
			return &list[i], text[:at[1]]
		}
	}
	return nil, text
}

// group is the skips for one reason.
type group struct {
	reason *reason // nil: not in the list
	text   string
	skips  []skip
}

func (list reasons) groups(skips []skip) []*group {
	var all []*group
	byText := make(map[string]*group)
	for _, s := range skips {
		r, text := list.of(s.Reason)
		if byText[text] == nil {
			byText[text] = &group{reason: r, text: text}
			all = append(all, byText[text])
		}
		byText[text].skips = append(byText[text].skips, s)
	}
	slices.SortStableFunc(all, func(a, b *group) int { return cmp.Compare(len(b.skips), len(a.skips)) })
	return all
}

// print prints how many tests were skipped for each reason, and reports whether all are allowed.
func (list reasons) print(out io.Writer, skips []skip, complete bool) bool {
	allowed := true
	for _, g := range list.groups(skips) {
		switch first := g.skips[0].Package + " " + g.skips[0].Test; {
		case g.reason == nil:
			fmt.Fprintf(out, "%5d skipped: %q\n      NOT ALLOWED: not in tools/tests/reasons.txt; %s\n", len(g.skips), g.text, first)
			allowed = false
		case g.reason.lacking && complete:
			fmt.Fprintf(out, "%5d skipped: %s\n      NOT ALLOWED where everything should be installed; %s\n", len(g.skips), g.text, first)
			allowed = false
		default:
			fmt.Fprintf(out, "%5d skipped: %s\n      %s\n", len(g.skips), g.text, g.reason.sentence)
		}
	}
	return allowed
}
