package main

import (
	"errors"
	"os/exec"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// often are the rows that make kinds and test-all run: those of a few builds, with all hosts that share one of these, which costs little.
// Each other build compiles the C anew, for minutes: make all runs those too.
var often = []string{
	"glibc", "static glibc", "musl", "run by the loader", "jemalloc preloaded", "tcmalloc preloaded", "mimalloc preloaded", "asan preloaded",
	"tsan preloaded", "lsan preloaded", "allocations before relocation", "allocations before relocation, jemalloc", "jemalloc linked",
	"plugin", "c-shared", "asan", "no /proc", "nothing but the program",
	"nothing but the program, musl", "read-only files", "seccomp", "an old kernel's errors", "little address space",
	"too little of it", "no locked memory", "few files", "stacks without a limit", "not dumpable", "arm64, glibc",
}

func TestRowsRecordExactlyOrSayWhyNot(t *testing.T) {
	shop, err := toolchain.OpenWorkshop()
	if err != nil {
		t.Fatal(err)
	}
	defer shop.Close()
	for i, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			if !slices.Contains(often, r.name) {
				t.Skip("longer: make matrix runs it")
			}
			if testing.Short() && i > 0 {
				t.Skip("long: make test-all runs it")
			}
			switch got := r.run(shop); got.outcome {
			case failed:
				t.Errorf("%s\n%.4000s", got.reason, got.output)
			case skipped:
				t.Skip(got.reason)
			default:
				t.Log(got.outcome, got.reason)
			}
		})
	}
}

func TestRowsThatRunOftenExist(t *testing.T) {
	for _, name := range often {
		if !slices.ContainsFunc(rows(), func(r row) bool { return r.name == name }) {
			t.Errorf("no row is named %q", name)
		}
	}
}

func TestARowIsJudgedByWhatTheProgramSays(t *testing.T) {
	records, refuses := row{}, row{refuses: "no malloc"}
	for about, c := range map[string]struct {
		row    row
		shell  string
		output string
		want   outcome
	}{
		"exact":                               {records, "exit 0", "45 sites exact\n", exact},
		"wrong":                               {records, "exit 1", "lost 1\n", failed},
		"killed":                              {records, "kill -SEGV $$", "", failed},
		"refused as it must":                  {refuses, "exit 3", "45 sites exact\nStart: no malloc\n", refused},
		"refused for another reason":          {refuses, "exit 3", "no malloc\nStart: too young\n", failed},
		"refused without a reason to":         {records, "exit 3", "Start: no malloc\n", failed},
		"recorded where it cannot":            {refuses, "exit 0", "45 sites exact\n", failed},
		"the right words with the wrong code": {refuses, "exit 1", "Start: no malloc\n", failed},
	} {
		t.Run(about, func(t *testing.T) {
			if got := c.row.judge(c.output, exec.Command("sh", "-c", c.shell).Run()); got.outcome != c.want {
				t.Errorf("%s: %s, want %s", got.outcome, got.reason, c.want)
			}
		})
	}
	if got := records.judge("", errors.New("no such file")); got.outcome != failed {
		t.Errorf("a program that does not start: %s", got.outcome)
	}
}

func TestAHeaderIsNeededThatTheCompilerDoesNotFind(t *testing.T) {
	if missing := compiles("gcc", "-O1", "stdlib.h", "libc6-dev")(); missing != "" {
		t.Error(missing)
	}
	if got, want := compiles("gcc", "-O1", "moon/base.h", "moon")(), "needs moon/base.h (Debian: moon)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestARowLacksWhatItsBuildOrHostLacks(t *testing.T) {
	lacks := need(func() string { return "needs a moon" })
	for _, r := range []row{{build: build{needs: []need{lacks}}}, {host: host{needs: []need{lacks}}}} {
		if got := r.run(nil); got.outcome != skipped || got.reason != "needs a moon" {
			t.Errorf("%s: %s", got.outcome, got.reason)
		}
	}
}
