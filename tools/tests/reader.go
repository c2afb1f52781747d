package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An event is a line of go test -json, as go doc test2json describes it.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// A reader turns events into counts, and prints what go test prints without -json: a line for each package, and all
// that failed tests have logged.
type reader struct {
	out     io.Writer
	counts  counts
	running map[string]*running // by package
}

// running is a package whose tests run.
type running struct {
	lines    []event           // of action output
	outcomes map[string]string // by test; "run" until it has ended
	ended    bool
	failed   bool // it, or one of its tests
}

func (r *reader) read(events io.Reader) {
	r.running = make(map[string]*running)
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) == nil {
			r.event(e)
		} else {
			fmt.Fprint(r.out, line)
		}
		if err != nil {
			break
		}
	}
	for _, p := range r.running {
		if !p.ended {
			r.counts.Broken++
		}
	}
}

func (r *reader) event(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
	}
	if e.Package == "" {
		return
	}
	p := r.running[e.Package]
	if p == nil {
		p = &running{outcomes: make(map[string]string)}
		r.running[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.lines = append(p.lines, e)
	case "run":
		p.outcomes[e.Test] = e.Action
	case "pass", "fail", "skip":
		r.ended(p, e)
	}
}

// ended takes down the end of a test or, if e names none, of a package.
func (r *reader) ended(p *running, e event) {
	if e.Test == "" {
		p.print(r.out, e.Action)
		p.ended, p.failed = true, e.Action == "fail"
		r.counts.Failed += p.unfinished()
		if e.Action == "fail" && p.unfinished() == 0 && len(p.named("fail")) == 0 {
			r.counts.Broken++
		}
		r.counts.failures = append(r.counts.failures, p.failures(e.Package)...)
		return
	}
	p.outcomes[e.Test] = e.Action
	switch e.Action {
	case "pass":
		r.counts.Passed++
	case "fail":
		r.counts.Failed++
	case "skip":
		r.counts.Skips = append(r.counts.Skips, skip{e.Package, e.Test, p.reason(e.Test)})
	}
	if !strings.Contains(e.Test, "/") {
		r.counts.Slow = append(r.counts.Slow, timed{e.Package + " " + e.Test, e.Elapsed})
	}
}

// unfinished counts the tests that the end of the process cut short.
func (p *running) unfinished() (n int) {
	for _, outcome := range p.outcomes {
		if outcome == "run" {
			n++
		}
	}
	return n
}

// print prints the package's closing line; if it failed, also its other lines and the lines of its failed tests.
func (p *running) print(out io.Writer, outcome string) {
	for _, line := range p.lines {
		text := line.Output
		switch {
		case strings.HasPrefix(text, "=== "), line.Test != "" && (p.outcomes[line.Test] == "pass" || p.outcomes[line.Test] == "skip"):
		case outcome == "fail", line.Test == "" && (strings.HasPrefix(text, "ok  \t") || strings.HasPrefix(text, "?   \t")):
			fmt.Fprint(out, text)
		}
	}
}

// timed is a test and how long it took.
type timed struct {
	name    string
	seconds float64
}

func printSlowest(out io.Writer, tests []timed, n int) {
	slices.SortFunc(tests, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range tests[:min(n, len(tests))] {
		fmt.Fprintf(out, "%8.2f s  %s\n", t.seconds, t.name)
	}
}
