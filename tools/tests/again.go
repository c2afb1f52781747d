package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// With -again, a test that failed runs that many times more: first with its whole package, as it may fail after another test only,
// and then alone. If it passes each time, it fails rarely: it is listed as
// flaky, and the outcome is good. A second failure, or a run in which it did not run, is skipped or is cut short, leaves the
// failure as it is. So does a failure that cannot be traced to tests that ended, and one that no busy machine explains.

// A failure is a test that failed, and is no part of another.
type failure struct {
	folder, pkg, test string
	names             []string // of those that failed: itself, and parts
	output            string
	proof             string // in it or, of a report, in all that its package printed; "" if there is none
}

// A flaky test failed once, and never again.
type flaky struct {
	Name   string
	Failed int `json:",omitempty"` // runs; 0: one
	Runs   int
	Output string // of the failures
}

// mostAgain is how many tests run again: if more fail, no chance did it.
const mostAgain = 10

// Proofs are what programs print about faults that are there however rarely they show. Reports of sanitizers and of the race
// detector may be printed while another test runs, which passes. Of what else there is, tests may print what they have caused.
// A C test that finds its child dead says so by the check of the child's status.
var (
	reports = regexp.MustCompile(reported)
	proofs  = regexp.MustCompile(reported + `|\b(panic|fatal error): |uncaught target signal|` +
		`SIG(SEGV|BUS|ILL|FPE|ABRT|TRAP)|signal: (segmentation fault|aborted|bus error|illegal|trace)|core dumped|` +
		`not so: .*\b(waitpid|WIF|WEXITSTATUS)`)
)

const reported = `DATA RACE|race detected during execution|(Address|Leak|Thread|UndefinedBehavior)Sanitizer|: runtime error: |(?m)^==\d+== `

// failures lists the tests that failed in a package whose tests have all ended, and after which nothing but the closing lines
// was printed: only then is the package's failure theirs.
func (p *running) failures(pkg string) (list []*failure) {
	if p.unfinished() > 0 || !p.endedByTests() {
		return nil
	}
	byTest := make(map[string]*failure)
	for _, name := range p.named("fail") {
		test, _, _ := strings.Cut(name, "/")
		f := byTest[test]
		if f == nil {
			f = &failure{pkg: pkg, test: test}
			byTest[test] = f
			list = append(list, f)
		}
		f.names = append(f.names, name)
	}
	var all strings.Builder
	for _, line := range p.lines {
		all.WriteString(line.Output)
		test, _, _ := strings.Cut(line.Test, "/")
		if f := byTest[test]; f != nil && p.outcomes[line.Test] == "fail" && !strings.HasPrefix(line.Output, "=== ") {
			f.output += line.Output
		}
	}
	for _, f := range list {
		f.proof = cmp.Or(proofs.FindString(f.output), reports.FindString(all.String()))
	}
	return list
}

func (p *running) named(outcome string) (names []string) {
	for name, o := range p.outcomes {
		if o == outcome {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// endedByTests reports whether the last lines are those of package testing, then those of the go command. A process that dies
// prints no line FAIL of its own.
func (p *running) endedByTests() bool {
	var last []string
	for _, line := range p.lines {
		if line.Test == "" {
			last = append(last, line.Output)
		}
	}
	n := len(last)
	if n < 2 || !strings.HasPrefix(last[n-1], "FAIL\t") {
		return false
	}
	if last[n-2] == "exit status 1\n" {
		n--
	}
	return n >= 2 && last[n-2] == "FAIL\n"
}

// again runs each failed test again, and takes the failures of those that pass each time out of the counts.
func (o options) again(out io.Writer, all *counts) {
	switch failed := len(all.failures); {
	case o.times == 0 || failed == 0:
		return
	case failed > mostAgain:
		fmt.Fprintf(out, "== %d tests failed, more than %d: none runs again\n", failed, mostAgain)
		return
	}
	deadline := time.Now().Add(o.limit)
	fmt.Fprintf(out, "== each failed test runs %d times more, first with its package and then alone, for %v at most: %d\n", o.times, o.limit, len(all.failures))
	for _, f := range all.failures {
		skips, passes := o.passesAgain(out, *f, deadline)
		if !passes {
			continue
		}
		all.Failed -= len(f.names)
		all.Passed += len(f.names)
		all.addNew(skips)
		all.Flaky = append(all.Flaky, flaky{f.pkg + " " + f.test, 1, 1 + o.times, f.output})
	}
}

// passesAgain also returns what the last run skipped: the run that failed may not have come so far.
func (o options) passesAgain(out io.Writer, f failure, deadline time.Time) (skips []skip, passes bool) {
	name := f.pkg + " " + f.test
	if f.proof != "" {
		fmt.Fprintf(out, "FAILED: %s: not run again: %q is no chance\n", name, f.proof)
		return nil, false
	}
	for i := range o.times {
		left := time.Until(deadline)
		if left <= 0 {
			fmt.Fprintf(out, "FAILED: %s: after %d of %d runs no time is left for more\n", name, i, o.times)
			return nil, false
		}
		var output bytes.Buffer
		r := reader{out: &output}
		alone := []string{"-run=^" + f.test + "$"}
		if i == 0 {
			alone = nil
		}
		if err := o.once(&r, f, alone, left); err != nil {
			fmt.Fprintf(out, "FAILED: %s: in run %d of %d %v\n%s", name, i+1, o.times, err, output.Bytes())
			return nil, false
		}
		skips = r.counts.Skips
	}
	return skips, true
}

var errNoOutcome = errors.New("go test printed no outcome of it")

// once runs a test's package, with the flags and in the environment that it had, and with these flags.
func (o options) once(r *reader, f failure, flags []string, limit time.Duration) error {
	args := slices.Concat(flagsOf(o.args), flags, []string{"-count=1", "-timeout=" + limit.String(), f.pkg})
	failed := o.goTest(f.folder, r, args)
	for _, name := range f.names {
		outcome := ""
		if p := r.running[f.pkg]; p != nil {
			outcome = p.outcomes[name]
		}
		switch outcome {
		case "pass":
		case "fail":
			return fmt.Errorf("%s failed", name)
		case "skip":
			return fmt.Errorf("%s was skipped", name)
		default:
			return fmt.Errorf("%s did not run, or did not end: %w", name, cmp.Or(failed, errNoOutcome))
		}
	}
	if failed != nil {
		return fmt.Errorf("it passed, but not all of its package: %w", failed)
	}
	return nil
}

// flagsOf returns go test's arguments without the packages, which are the last and begin with a dot.
func flagsOf(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[len(args)-1], ".") {
		args = args[:len(args)-1]
	}
	return slices.Clone(args)
}

func printFlaky(out io.Writer, list []flaky) {
	for _, f := range list {
		fmt.Fprintf(out, "FLAKY: %s, %d of %d; the failure:\n", f.Name, max(f.Failed, 1), f.Runs)
		for line := range strings.Lines(f.Output) {
			fmt.Fprintf(out, "    %s\n", strings.TrimRight(line, "\n"))
		}
	}
}
