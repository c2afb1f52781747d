package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const scratchTests = `package scratch

import "testing"

func TestPasses(t *testing.T) { t.Log("of no interest") }

func TestSkips(t *testing.T) {
	t.Log("tried it")
	t.Run("all", func(t *testing.T) { t.Log("part"); t.Skip("needs mold (Debian: mold)") })
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
}
`

// long leaves a test out of make test: make tools runs it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
}

// module makes a module with these tests.
func module(t *testing.T, tests string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module scratch\n\ngo 1.25\n", "scratch_test.go": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ran runs the command, and returns what it printed.
func ran(t *testing.T, wantGood bool, words ...string) string {
	t.Helper()
	o, err := parse(words)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	good, err := o.run(&out)
	if err != nil || good != wantGood {
		t.Errorf("%q: good is %t, want %t; %v\n%s", words, good, wantGood, err, out.String())
	}
	return out.String()
}

// contains wants all the parts in the text, and in this order.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("no %q in order in\n%s", part, text)
			return
		}
		rest = after
	}
}

func TestSkipsAreCountedByReason(t *testing.T) {
	dir, record := module(t, scratchTests), filepath.Join(t.TempDir(), "record")
	out := ran(t, true, "-record", record, dir, "--", "-short", ".")
	contains(t, out, "ok  \tscratch\t", "1 skipped: needs mold (Debian: mold)\n", "tests: 1 passed, 0 failed, 2 skipped\n")
	contains(t, out, "1 skipped: long: make test-all runs it\n")
	if strings.Contains(out, "of no interest") {
		t.Errorf("what a passing test logged is printed:\n%s", out)
	}
	ran(t, true, "-record", record, dir, "--", ".")
	contains(t, ran(t, true, "-sum", record), "2 skipped: needs mold", "1 skipped: long", "tests: 3 passed, 0 failed, 3 skipped\n")
	contains(t, ran(t, false, "-complete", "-sum", record), "2 skipped: needs mold", "NOT ALLOWED", "TestSkips/all")
}

func TestASkipForAReasonThatIsNotInTheListFails(t *testing.T) {
	for about, tests := range map[string]string{
		"another reason": `func TestMoon(t *testing.T) { t.Skip("no moon") }`,
		"none":           `func TestMoon(t *testing.T) { t.SkipNow() }`,
	} {
		t.Run(about, func(t *testing.T) {
			out := ran(t, false, module(t, "package scratch\nimport \"testing\"\n"+tests), "--", ".")
			contains(t, out, "ok  \tscratch\t", "1 skipped: ", "NOT ALLOWED: not in tools/tests/reasons.txt; scratch TestMoon", "0 failed, 1 skipped")
		})
	}
}

func TestWhatFailsIsPrinted(t *testing.T) {
	for about, c := range map[string]struct {
		tests string
		parts []string
	}{
		"a test": {`func TestA(t *testing.T) { t.Run("b", func(t *testing.T) { t.Error("bad") }); t.Run("c", func(t *testing.T) {}) }`,
			[]string{"bad\n", "--- FAIL: TestA/b ", "--- FAIL: TestA ", "FAIL\tscratch", "tests: 1 passed, 2 failed, 0 skipped"}},
		"a process that dies": {`func TestA(t *testing.T) { panic("dead") }`, []string{"dead", "FAIL\tscratch", "0 passed, 1 failed"}},
		"a process that ends": {"import \"os\"\nfunc TestA(t *testing.T) { os.Exit(5) }", []string{"FAIL\tscratch", "0 passed, 1 failed"}},
		"a build":             {`func TestA(t *testing.T) { undefined() }`, []string{"undefined: undefined", "FAIL\tscratch [build failed]"}},
	} {
		t.Run(about, func(t *testing.T) {
			if about != "a test" {
				long(t)
			}
			tests := "package scratch\nimport \"testing\"\n" + c.tests
			contains(t, ran(t, false, module(t, tests), "--", "."), c.parts...)
		})
	}
}

func TestFoldersAtOnceArePrintedInTheirOrder(t *testing.T) {
	long(t)
	slow := module(t, "package scratch\nimport (\"testing\"; \"time\")\nfunc TestA(t *testing.T) { time.Sleep(time.Second) }")
	bad := module(t, "package scratch\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Error(\"wrong\") }")
	out := ran(t, false, "-at-once", "2", slow, bad, slow, "--", ".")
	contains(t, out, "== "+slow+": go test .\n", "== "+slow+":", "== "+bad+": go test .\n", "wrong", "== "+bad+":", "== "+slow+": go test .\n",
		"tests: 2 passed, 1 failed, 0 skipped")
}

// What another run tests is left out by name, and a name that means nothing fails.
func TestPackagesThatAreTestedElsewhereAreLeftOut(t *testing.T) {
	long(t)
	dir := module(t, "package scratch\nimport \"testing\"\nfunc TestA(t *testing.T) {}")
	if err := os.MkdirAll(filepath.Join(dir, "b", "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b", "c", "c_test.go"), []byte("package c\nimport \"testing\"\nfunc TestB(t *testing.T) { t.Error(1) }"), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, ran(t, true, "-but", "./b/c", dir, "--", "./..."), "1 passed, 0 failed")
	contains(t, ran(t, false, "-but", " ", dir, "--", "./..."), "1 passed, 1 failed")
	contains(t, ran(t, false, "-but", "./b", dir, "--", "./..."), "of [./b], not all are packages")
}

func TestNamesThatAreLeftOutAreCounted(t *testing.T) {
	long(t)
	out := ran(t, true, module(t, scratchTests), "--", "-skip", "TestSkips|TestMoon/full", ".")
	contains(t, out, "2 skipped: left out by name", "tests: 1 passed, 0 failed, 2 skipped")
}

func TestTheReasonIsTheLastTextThatATestLogged(t *testing.T) {
	p := &running{}
	for _, line := range []string{"=== RUN   TestA\n", "    a_test.go:1: first\n", "    b_test.go:2: second\n", "        goes on\n", "--- SKIP: TestA (0.00s)\n"} {
		p.lines = append(p.lines, event{Test: "TestA", Output: line}, event{Test: "TestB", Output: "    a_test.go:3: other\n"})
	}
	if got := p.reason("TestA"); got != "second goes on" {
		t.Errorf("%q", got)
	}
}

func TestReasonsWithoutASentenceOrGivenTwiceAreRefused(t *testing.T) {
	for _, text := range []string{
		anywhere + "\na\n\tb\n" + lacking + "\na\n\tc\n",
		"a\n\tb\n", anywhere + "\na\n", anywhere + "\na\nb\n\tc\n", anywhere + "\n\tb\n", anywhere + "\n(\n\tb\n", anywhere + "\na\n" + lacking + "\n",
	} {
		if list, err := readReasons(text); err == nil {
			t.Errorf("%q is read as %v", text, list)
		}
	}
	if list, err := readReasons(reasonsText); err != nil || len(list) < 2 {
		t.Errorf("%v, %v", list, err)
	}
}
