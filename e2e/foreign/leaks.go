package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

//go:embed testdata/check.go.txt
var checkFile string

// A checkedSuite is a suite of a module whose tests all begin with leaktest.Check.
type checkedSuite struct {
	suite
	dir string
}

// A checking is the result of one run of it.
type checking struct {
	outcomes
	leaks map[string]string // by test, what its check said
	notes map[string]string
}

// copy copies the suite, and has its tests begin with checks.
func (s checkedSuite) copy() (copied, insertion, error) {
	path, _, _ := strings.Cut(s.module, "@")
	in := insertion{path: path + "/cgoheapcheck"}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return copied{}, in, err
	}
	c, err := copyModule(s.suite, s.dir)
	if err != nil {
		return c, in, err
	}
	if _, err = c.output("mod", "edit", "-require="+core+"@v0.0.0", "-replace="+core+"="+root()); err != nil {
		return c, in, err
	}
	if err := writeFile(filepath.Join(c.dir, "cgoheapcheck", "check.go"), []byte(checkFile)); err != nil {
		return c, in, err
	}
	dirs, err := c.output(append([]string{"list", "-f", "{{.Dir}}"}, s.packages...)...)
	for dir := range strings.Lines(dirs) {
		if err == nil {
			err = in.into(strings.TrimSpace(dir))
		}
	}
	return c, in, err
}

// run runs the suite, with a leak in one test; "" for none.
func (s checkedSuite) run(c copied, planted string, flags ...string) (checking, error) {
	var ignored []string
	for _, k := range s.keeps {
		ignored = append(ignored, k.function)
	}
	args := slices.Concat([]string{"test", "-json", "-count=1", "-vet=off", "-timeout=30m", "-short"}, c.args, flags, s.packages)
	tool := c.command(args...)
	tool.Env = append(tool.Env, "CGOHEAPCHECK_PLANT="+planted, "CGOHEAPCHECK_IGNORE="+strings.Join(ignored, " "))
	var out bytes.Buffer
	tool.Stdout, tool.Stderr = &out, &out
	failure := tool.Run() // a failing test is an outcome
	got := checking{outcomes: read(&out)}
	if got.count("") == 0 {
		return got, fmt.Errorf("%v: %w\n%.4000s%.4000v", tool, failure, got.other, got.output)
	}
	got.sort()
	return got, nil
}

// sort finds what checks said in the tests' output.
func (c *checking) sort() {
	c.leaks, c.notes = make(map[string]string), make(map[string]string)
	for test, text := range c.output {
		_, said, found := strings.Cut(text, "leaktest: ")
		switch {
		case !found || !strings.Contains(test, " "):
		case strings.Contains(said, "allocated in this test, in use at its end") && !strings.Contains(said, "this is no failure"):
			c.leaks[test] = said
		default:
			c.notes[test] = said
		}
	}
}

// A checkedRow is what came of a suite: what was found in it as it is, and with a leak planted.
type checkedRow struct {
	suite          string
	checked, left  []string // tests
	clean, planted checking
	wrong          []string
}

// checkLeaks prints what was found in each suite, and a table. It returns whether everything was as it should be.
func checkLeaks(chosen []suite, dir string) bool {
	var rows []checkedRow
	for _, s := range chosen {
		if s.module == "" {
			continue // package testing is a part of that tree, and cannot import a module
		}
		fmt.Printf("== %s %s\n", s.name, s.module)
		start := time.Now()
		r := checkedSuite{s, filepath.Join(dir, s.name)}.judge()
		for _, wrong := range r.wrong {
			fmt.Printf("   WRONG: %.8000s\n", wrong)
		}
		for _, k := range s.keeps {
			fmt.Printf("   ignored: %s: %s\n", k.function, k.reason)
		}
		fmt.Printf("   %.0f s\n", time.Since(start).Seconds())
		rows = append(rows, r)
	}
	fmt.Println()
	printChecked(os.Stdout, rows)
	return !slices.ContainsFunc(rows, func(r checkedRow) bool { return len(r.wrong) > 0 })
}

// judge runs the suite as it is, in the way that go test runs it, and then with a leak in one test and with names of C
// functions.
func (s checkedSuite) judge() checkedRow {
	r := checkedRow{suite: s.name}
	c, in, err := s.copy()
	r.checked, r.left = in.checked, in.left
	if err == nil {
		r.clean, err = s.run(c, "", s.flags()...)
	}
	if err != nil {
		r.wrong = append(r.wrong, err.Error())
		return r
	}
	for test, text := range inOrder(r.clean.notes) {
		if strings.HasPrefix(text, "not checked") {
			r.wrong = append(r.wrong, test+": "+text)
		}
		fmt.Printf("   %s: %.300s\n", test, text)
	}
	for test, outcome := range inOrder(r.clean.of) {
		_, name, isTest := strings.Cut(test, " ")
		if (outcome == "fail" || outcome == unfinished) && isTest && (r.clean.leaks[test] == "" || s.leaks[name] == "") {
			r.wrong = append(r.wrong, fmt.Sprintf("%s: %s, without a planted leak: %s", test, outcome, r.clean.output[test]))
		}
	}
	for test, reason := range inOrder(s.leaks) {
		fmt.Printf("   leaks: %s: %s\n", test, reason)
	}
	test := r.clean.passing(in.checked)
	if r.planted, err = s.run(c, test, named); err != nil {
		r.wrong = append(r.wrong, err.Error())
		return r
	}
	r.wrong = append(r.wrong, s.misses(test, r.planted.leaks)...)
	return r
}

// named has go test keep the names of C functions.
const named = "-ldflags=-s=false -w=false"

// flags returns those of a run of the suite as it is: go test's own defaults, if functions need not be known by their names.
func (s checkedSuite) flags() []string {
	if len(s.keeps) == 0 {
		return nil
	}
	return []string{named}
}

// inOrder yields a map in the order of its keys.
func inOrder(m map[string]string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// passing returns the first test with a check that passed.
func (c *checking) passing(checked []string) string {
	var names []string
	for test, outcome := range c.of {
		_, name, _ := strings.Cut(test, " ")
		if outcome == "pass" && slices.Contains(checked, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

// one is how a check reports of the planted leak, and of nothing else.
var one = regexp.MustCompile(`^1 block of 77 bytes, allocated in this test, in use at its end:\n +1 block of 77 bytes\n +planted  .*check\.go:9\n`)

// misses returns what is wrong with the leaks of a run in which one block was planted in a test.
func (s checkedSuite) misses(planted string, leaks map[string]string) (wrong []string) {
	found := false
	for test, said := range inOrder(leaks) {
		_, name, _ := strings.Cut(test, " ")
		switch {
		case name == planted && one.MatchString(said):
			found = true
			fmt.Printf("   planted in %s, and found: %.700s\n", planted, said)
		case name == planted || s.leaks[name] == "":
			wrong = append(wrong, test+", with a leak planted in "+planted+": "+said)
		}
	}
	if !found {
		wrong = append(wrong, "the leak planted in "+planted+" was not found")
	}
	return wrong
}

func printChecked(out io.Writer, rows []checkedRow) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "suite\ttests checked\tleaks as it is\twith one planted\tverdict")
	for _, r := range rows {
		verdict := "right"
		if len(r.wrong) > 0 {
			verdict = "WRONG"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", r.suite, len(r.checked), len(r.clean.leaks), len(r.planted.leaks), verdict)
	}
	w.Flush()
}
