package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A module whose tests know by a file how often they ran.
const countingTests = `package scratch

import (
	"os"
	"testing"
)

// run adds a line to the test's file, and returns how many lines it has.
func run(t *testing.T, name string) int {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.WriteString("x")
	info, _ := file.Stat()
	return int(info.Size())
}

func failsIn(t *testing.T, runs ...int) {
	n := run(t, t.Name())
	for _, failing := range runs {
		if n == failing {
			t.Errorf("bad in run %d", n)
		}
	}
}

func TestGood(t *testing.T) {}
`

func TestWhatFailsOnceIsFlakyAndWhatElseHappensIsNot(t *testing.T) {
	for about, c := range map[string]struct {
		tests string
		short bool
		good  bool
		parts []string
	}{
		"fails once": {`func TestOnce(t *testing.T) { failsIn(t, 1) }`, true, true, []string{
			"bad in run 1", "2 times more, first with its package and then alone, for 15m0s at most: 1", "FLAKY: scratch TestOnce, 1 of 3",
			"    ", "bad in run 1", "tests: 2 passed, 0 failed",
		}},
		"a part fails once": {`func TestOuter(t *testing.T) { t.Run("a", func(t *testing.T) { if run(t, "a") == 1 { t.Error("bad a") } }) }`, false, true,
			[]string{"FLAKY: scratch TestOuter, 1 of 3", "bad a", "tests: 3 passed, 0 failed"}},
		"fails always": {`func TestBad(t *testing.T) { t.Error("bad") }`, true, false,
			[]string{"FAILED: scratch TestBad: in run 1 of 2 TestBad failed", "tests: 1 passed, 1 failed"}},
		"fails in the last run too": {`func TestTwice(t *testing.T) { failsIn(t, 1, 3) }`, false, false,
			[]string{"FAILED: scratch TestTwice: in run 2 of 2 TestTwice failed", "bad in run 3", "1 failed"}},
		"one of two fails always": {`func TestOnce(t *testing.T) { failsIn(t, 1) }; func TestBad(t *testing.T) { t.Error("bad") }`, false, false,
			[]string{"FAILED: scratch TestBad", "FAILED: scratch TestOnce: in run 1 of 2 it passed, but not all of its package", "tests: 1 passed, 2 failed"}},
		"panics once": {`func TestPanic(t *testing.T) { if run(t, "p") == 1 { panic("dead") } }; func TestLater(t *testing.T) {}`, true, false,
			[]string{"dead", "1 failed"}},
		"ends the process once": {`func TestExit(t *testing.T) { if run(t, "e") == 1 { os.Exit(1) } }`, false, false, []string{"1 failed"}},
		"panics later": {`func TestOnce(t *testing.T) { failsIn(t, 1) }; func TestPanic(t *testing.T) { if run(t, "p") == 1 { panic("dead") } }`, false, false,
			[]string{"dead", "2 failed"}},
		"is skipped later": {`func TestSkips(t *testing.T) { if run(t, "s") > 1 { t.Skip("root may write everywhere") }; t.Error("bad") }`, false, false,
			[]string{"FAILED: scratch TestSkips: in run 1 of 2 TestSkips was skipped", "1 failed"}},
		"is not there later": {`func TestParts(t *testing.T) { if run(t, "s") == 1 { t.Run("a", func(t *testing.T) { t.Error("bad") }) } }`, false, false,
			[]string{"in run 1 of 2 TestParts/a did not run", "tests: 1 passed, 2 failed"}},
		"skips later what may not be skipped": {`func TestOnce(t *testing.T) { failsIn(t, 1); if t.Failed() { return }; t.Run("a", func(t *testing.T) { t.Skip("no moon") }) }`, false, false,
			[]string{"FLAKY", "NOT ALLOWED", "scratch TestOnce/a"}},
		"crashes": {`func TestCrash(t *testing.T) { if run(t, "c") == 1 { t.Error("the service: signal: segmentation fault") } }`, false, false,
			[]string{`FAILED: scratch TestCrash: not run again: "signal: segmentation fault" is no chance`, "1 failed"}},
		"panics, and says where": {`func TestCrash(t *testing.T) { if run(t, "c") == 1 { t.Error("panic: dead") } }`, false, false,
			[]string{`FAILED: scratch TestCrash: not run again: "panic: " is no chance`, "1 failed"}},
		"a race in another test": {`func TestOther(t *testing.T) { if run(t, "o") == 1 { println("WARNING: DATA RACE") } }; func TestOnce(t *testing.T) { failsIn(t, 1) }`, false, false,
			[]string{`FAILED: scratch TestOnce: not run again: "DATA RACE" is no chance`, "1 failed"}},
		"the race detector's word": {`func TestOnce(t *testing.T) { if run(t, "r") == 1 { t.Error("race detected during execution of test") } }`, false, false,
			[]string{`not run again: "race detected during execution" is no chance`, "1 failed"}},
		"another test has caused a panic": {`func TestOther(t *testing.T) { t.Log("panic: as it must") }; func TestOnce(t *testing.T) { failsIn(t, 1) }`, false, true,
			[]string{"FLAKY: scratch TestOnce"}},
		"fails after another test": {`var left bool; func TestLeaves(t *testing.T) { left = true }; func TestAfter(t *testing.T) { if left { t.Error("bad") } }`, false, false,
			[]string{"FAILED: scratch TestAfter: in run 1 of 2 TestAfter failed", "1 failed"}},
		"another fails in its package later": {`func TestOnce(t *testing.T) { failsIn(t, 1) }; func TestOther(t *testing.T) { failsIn(t, 2) }`, false, false,
			[]string{"FAILED: scratch TestOnce: in run 1 of 2 it passed, but not all of its package", "1 failed"}},
		"TestMain complains": {`func TestMain(m *testing.M) { m.Run(); println("lost"); os.Exit(1) }; func TestOnce(t *testing.T) { failsIn(t, 1) }`, false, false,
			[]string{"lost", "1 failed"}},
		"many fail once": {manyThatFailOnce(mostAgain + 1), false, false, []string{"== 11 tests failed, more than 10: none runs again", "tests: 1 passed, 11 failed"}},
	} {
		t.Run(about, func(t *testing.T) {
			if !c.short {
				long(t)
			}
			t.Parallel()
			out := ran(t, c.good, "-again", "2", module(t, countingTests+c.tests), "--", ".")
			contains(t, out, c.parts...)
		})
	}
}

func manyThatFailOnce(n int) string {
	var tests strings.Builder
	for i := range n {
		fmt.Fprintf(&tests, "func TestMany%d(t *testing.T) { failsIn(t, 1) }\n", i)
	}
	return tests.String()
}

func TestAFailureBesideAFlakyTestStays(t *testing.T) {
	long(t)
	once := module(t, countingTests+`func TestOnce(t *testing.T) { failsIn(t, 1) }`)
	unbuilt := module(t, "package scratch\nfunc init() { undefined() }")
	out := ran(t, false, "-again", "3", once, unbuilt, "--", ".")
	contains(t, out, "undefined: undefined", "FLAKY: scratch TestOnce", "tests: 2 passed, 0 failed")
	contains(t, ran(t, false, "-again", "3", once, filepath.Join(once, "absent"), "--", "."), "absent")
}

func TestRunningAgainEndsInTime(t *testing.T) {
	long(t)
	dir := module(t, countingTests+`func TestHangs(t *testing.T) { if run(t, "h") > 1 { select {} }; t.Error("bad") }`)
	contains(t, ran(t, false, "-again", "2", "-limit", "2s", dir, "--", "."), "for 2s at most", "in run 1 of 2 TestHangs did not run, or did not end", "1 failed")
	dir = module(t, countingTests+`func TestOnce(t *testing.T) { failsIn(t, 1) }`)
	contains(t, ran(t, false, "-again", "2", "-limit", "1ns", dir, "--", "."), "after 0 of 2 runs no time is left", "1 failed")
}

func TestATestRunsAgainWithItsFlags(t *testing.T) {
	long(t)
	dir := module(t, countingTests+`func TestOnce(t *testing.T) { if !testing.Short() { t.Error("long") }; failsIn(t, 1) }`)
	ran(t, true, "-again", "2", dir, "--", "-short", "-run", "Once", "-timeout", "1m", ".")
}

func TestFlakyTestsAreRecorded(t *testing.T) {
	long(t)
	dir, record := module(t, countingTests+`func TestOnce(t *testing.T) { failsIn(t, 1) }`), filepath.Join(t.TempDir(), "record")
	ran(t, true, "-again", "2", "-record", record, dir, "--", ".")
	contains(t, ran(t, true, "-sum", record), "FLAKY: scratch TestOnce, 1 of 3", "bad in run 1", "tests: 2 passed, 0 failed")
}

func TestAProgramRunsAgain(t *testing.T) {
	for about, c := range map[string]struct {
		script string
		good   bool
		prints string
		flags  []string
	}{
		"passes":       {"echo ok", true, "ok\n", nil},
		"fails once":   {"echo $0; echo x >>runs; test $(wc -l <runs) -gt 1", true, "sh\n", nil},
		"fails always": {"echo ok; exit 1", false, "", nil},
		"fails twice":  {"echo x >>runs; test $(wc -l <runs) -gt 1 && test $(wc -l <runs) -lt 4", false, "", nil},
		"crashes once": {"echo x >>runs; test $(wc -l <runs) -gt 1 || kill -SEGV $$", false, "", nil},
		"a race, once": {"echo x >>runs; test $(wc -l <runs) -gt 1 || { echo WARNING: ThreadSanitizer: data race; exit 1; }", false, "", nil},
		"hangs later":  {"echo x >>runs; test $(wc -l <runs) -gt 1 && exec sleep 100; exit 1", false, "", []string{"-limit", "10s"}},
		"hangs":        {"exec sleep 1000", false, "", []string{"-timeout", "1s"}},
		"a child dies": {"echo x >>runs; test $(wc -l <runs) -gt 1 || { echo 'a_test.c:1: not so: WIFEXITED(status)'; exit 1; }", false, "", nil},
		"waits, badly": {"echo x >>runs; test $(wc -l <runs) -gt 1 || { echo 'a_test.c:1: not so: waitpid(c, &s, 0) == c && s == 0'; exit 1; }", false, "", nil},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "record")
			words := append(c.flags, "-again", "3", "-record", record, "-command", "a program", "--", "sh", "-c", "cd "+t.TempDir()+"; "+c.script)
			out := ran(t, c.good, words...)
			if out != c.prints {
				t.Errorf("prints %q, want %q", out, c.prints)
			}
			if about == "fails once" {
				contains(t, ran(t, true, "-sum", record), "FLAKY: a program, 1 of 4", "    sh\n")
			}
		})
	}
}
