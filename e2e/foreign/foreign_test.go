package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const plain = `go: downloading a module
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: no network\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"run","Package":"p","Test":"TestC"}
{"Action":"run","Package":"p","Test":"TestC/deep"}
{"Action":"pass","Package":"p","Test":"TestC/deep"}
{"Action":"pass","Package":"p","Test":"TestC"}
{"Action":"pass","Package":"p"}
`

func TestEveryDifferenceIsFound(t *testing.T) {
	for about, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"equal":            {"", "", nil},
		"a test fails":     {`"pass","Package":"p","Test":"TestA"`, `"fail","Package":"p","Test":"TestA"`, []string{"p TestA"}},
		"a skip runs":      {`"skip"`, `"pass"`, []string{"p TestB"}},
		"a subtest fails":  {`"pass","Package":"p","Test":"TestC/deep"`, `"fail","Package":"p","Test":"TestC/deep"`, []string{"p TestC/deep"}},
		"a test dies":      {`{"Action":"pass","Package":"p","Test":"TestA"}`, ``, []string{"p TestA"}},
		"a test is absent": {`TestA`, `TestNew`, []string{"p TestA", "p TestNew"}},
		"the package dies": {`"pass","Package":"p"}`, `"fail","Package":"p"}`, []string{"p"}},
	} {
		other := strings.ReplaceAll(plain, c.old, c.new)
		if c.old == "" {
			other = plain
		}
		if got := differences(read(strings.NewReader(plain)), read(strings.NewReader(other))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}

func TestASkippedTestIsListedWithItsReason(t *testing.T) {
	o := read(strings.NewReader(plain))
	if got, want := o.skips(), []string{"p TestB: b_test.go:7: no network"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if o.count("") != 4 || o.count("pass") != 3 || o.count("skip") != 1 || o.other != "go: downloading a module\n" {
		t.Errorf("%d tests, %d passed, %d skipped, and %q", o.count(""), o.count("pass"), o.count("skip"), o.other)
	}
}

func TestOnlyEqualSetsOfOutcomesAreAFlake(t *testing.T) {
	type counts = map[string]int
	for about, c := range map[string]struct {
		without, with counts
		want          bool
	}{
		"all pass":             {counts{"pass": 10}, counts{"pass": 10}, true},
		"both pass at times":   {counts{"pass": 9, "fail": 1}, counts{"pass": 7, "fail": 3}, true},
		"only ours fails":      {counts{"pass": 10}, counts{"pass": 9, "fail": 1}, false},
		"only theirs fails":    {counts{"pass": 9, "fail": 1}, counts{"pass": 10}, false},
		"it never ran alone":   {counts{notRun: 10}, counts{notRun: 10}, false},
		"it ran on one side":   {counts{"pass": 10}, counts{notRun: 10}, false},
		"ours is known flaky":  {counts{"pass": 10}, counts{"pass": 8, known + "why": 2}, true},
		"theirs is known too":  {counts{"pass": 9, known + "why": 1}, counts{"pass": 10}, true},
		"ours fails besides":   {counts{"pass": 10}, counts{"pass": 8, known + "why": 1, "fail": 1}, false},
		"ours never passes":    {counts{"pass": 10}, counts{known + "why": 10}, false},
		"only ours ends early": {counts{"pass": 10}, counts{unfinished: 1, "pass": 9}, false},
	} {
		if got := same(c.without, c.with); got != c.want {
			t.Errorf("%s: a flake: %v", about, got)
		}
	}
}

const segv = `{"Action":"run","Package":"runtime","Test":"TestSegv/SegvInCgo"}
{"Action":"output","Package":"runtime","Test":"TestSegv/SegvInCgo","Output":"    x_test.go:7: skipping known flaky test without the -flaky flag; see golang.org/issue/50979\n"}
{"Action":"skip","Package":"runtime","Test":"TestSegv/SegvInCgo"}
{"Action":"pass","Package":"runtime"}
`

// Only the test, its outcome and its reason together are known.
func TestAKnownFlakyTestIsNamedSo(t *testing.T) {
	for about, c := range map[string]struct {
		old, new string
		known    bool
	}{
		"as it is":        {"", "", true},
		"another issue":   {"issue/50979", "issue/1", false},
		"another test":    {"SegvInCgo", "Segv", false},
		"it fails":        {`"skip"`, `"fail"`, false},
		"another package": {`"runtime"`, `"p"`, false},
	} {
		o := read(strings.NewReader(strings.ReplaceAll(segv, c.old, c.new)))
		for test := range o.of {
			if got := o.get(test); strings.Contains(test, " ") && strings.HasPrefix(got, known) != c.known {
				t.Errorf("%s: %s is %s", about, test, got)
			}
		}
		if len(o.of) != 2 {
			t.Errorf("%s: %v", about, o.of)
		}
	}
}

func TestTheTableSaysWhatCameOfEachSuite(t *testing.T) {
	o := read(strings.NewReader(plain))
	equal := row{suite: "same", runs: []*outcomes{&o}, equal: true}
	other := row{suite: "other", runs: []*outcomes{&o}, equal: true}
	for i := range modes {
		equal.add(&o, verdict{flakes: []string{"a flake"}})
		v := verdict{}
		if i == 1 {
			v.wrong = []string{"p TestA"}
		}
		other.add(&o, v)
	}
	failed := row{suite: "failed", runs: []*outcomes{&o}, equal: true}
	failed.add(nil, verdict{wrong: []string{"no outcomes"}})
	var out strings.Builder
	printTable(&out, []row{equal, other, failed, {suite: "absent"}})
	want := `passed/failed/skipped  without  off    default  SampleBytes 1  flakes  outcomes
same                   3/0/1    3/0/1  3/0/1    3/0/1          3       equal
other                  3/0/1    3/0/1  3/0/1    3/0/1          0       1 DIFFER
failed                 3/0/1    -      -        -              0       1 DIFFER
absent                 -        -      -        -              0       NOT RUN
`
	if out.String() != want || !equal.equal || other.equal || failed.equal {
		t.Errorf("%s", out.String())
	}
}

func TestATestIsRunAlone(t *testing.T) {
	for test, want := range map[string]string{"p TestA": "^TestA$", "p TestC/x+y": `^TestC$/^x\+y$`, "p": "all"} {
		if got := alone(test, "all"); got != want {
			t.Errorf("%s: %s, want %s", test, got, want)
		}
	}
	names := []string{"p", "p TestC", "p TestC/deep", "p TestCC"}
	for name, want := range map[string]bool{"p": true, "p TestC": true, "p TestC/deep": false, "p TestCC": false} {
		if got := aPackageOf(names, name); got != want {
			t.Errorf("%s has others of the list in it: %v", name, got)
		}
	}
}

func TestTheImportKeepsLineNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.go")
	for text, want := range map[string]string{
		"// package main\n\npackage main // of it\n\nimport \"C\"\n": "// package main\n\npackage main; import _ \"foreign/witness\" // of it\n\nimport \"C\"\n",
		"package mainly\n": "package mainly\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := addToFile(path); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A module with one test that passes only without cgoheap, and one that always passes.
const suiteOfOurs = `package p

import (
	"os"
	"strings"
	"testing"
)

func TestAlways(*testing.T) {}

func TestOnlyWithout(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(program), strings.ToUpper("cgoheap_sample_bytes")) {
		t.Fatal("cgoheap is in here")
	}
}
`

func TestASuiteThatFailsWithCgoheapIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	b := &bench{suite: suite{packages: []string{"."}}, scratch: t.TempDir()}
	for _, side := range []*copied{&b.without, &b.with} {
		*side = copied{dir: t.TempDir(), tool: "go", env: []string{"GOFLAGS=-mod=mod", "GOWORK=off"}}
		for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.25.0\n", "p_test.go": suiteOfOurs} {
			if err := writeFile(filepath.Join(side.dir, name), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := addToModule(b.suite, b.with); err != nil {
		t.Fatal(err)
	}
	base, _, err := b.test(b.without, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.judge(modes[1], base)
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^p TestOnlyWithout: pass without, fail with; again: 10 pass without, 10 fail with\n`)
	if len(v.wrong) != 1 || !want.MatchString(v.wrong[0]) || len(v.flakes) != 0 || v.processes != 1 {
		t.Errorf("%q, flakes %q, recorded in %d processes", v.wrong, v.flakes, v.processes)
	}
}
