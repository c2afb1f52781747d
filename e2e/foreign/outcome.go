package main

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
)

// Outcomes besides package testing's pass, fail and skip.
const (
	unfinished = "unfinished" // the process ended first
	notRun     = "not run"
)

// outcomes are the results of one go test: the key is the package and, for a test's result, a space and the test's name.
type outcomes struct {
	of     map[string]string
	output map[string]string
	other  string // what is not JSON, and what builds printed
}

// read parses the output of go test -json.
func read(in io.Reader) outcomes {
	o := outcomes{of: make(map[string]string), output: make(map[string]string)}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		o.line(line)
		if err != nil {
			return o
		}
	}
}

func (o *outcomes) line(line string) {
	var event struct{ Action, Package, Test, Output string }
	if json.Unmarshal([]byte(line), &event) != nil || event.Package == "" {
		o.other += line
		return
	}
	key := strings.TrimSpace(event.Package + " " + event.Test)
	switch event.Action {
	case "run":
		o.of[key] = unfinished
	case "pass", "fail", "skip":
		o.of[key] = event.Action
	case "output":
		o.output[key] += event.Output
	}
}

func (o outcomes) get(test string) string {
	if outcome := o.ofFlaky(test); outcome != "" {
		return outcome
	}
	if outcome, ran := o.of[test]; ran {
		return outcome
	}
	return notRun
}

// count returns how many tests have the outcome; the outcome "" means all. Packages are not counted.
func (o outcomes) count(outcome string) int {
	n := 0
	for test, got := range o.of {
		if strings.Contains(test, " ") && (outcome == "" || got == outcome) {
			n++
		}
	}
	return n
}

// differences lists the tests and packages whose outcomes differ, sorted.
func differences(a, b outcomes) []string {
	all := make(map[string]bool)
	for _, o := range []outcomes{a, b} {
		for test := range o.of {
			if a.get(test) != b.get(test) {
				all[test] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// skips lists the tests that were skipped, each with its reason.
func (o outcomes) skips() []string {
	var list []string
	for test, outcome := range o.of {
		if outcome == "skip" {
			list = append(list, test+": "+reason(o.output[test]))
		}
	}
	slices.Sort(list)
	return list
}

// reason returns what a skipped test logged.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return "no reason logged"
	}
	return strings.Join(said, " ")
}
