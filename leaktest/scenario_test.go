//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package leaktest

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// scenario is a test that package testing really runs, in a process of its own because it fails. All leaks stay.
type scenario struct {
	test func(t *testing.T)
	want string // the tests that fail and, after a space, how many bytes of leaks they report; "-": none
	logs string // an expression for what must be logged; "": nothing
}

const scenarioVariable = "CGOHEAP_LEAKTEST_SCENARIO"

func TestScenario(t *testing.T) {
	if s, ok := scenarios[os.Getenv(scenarioVariable)]; ok {
		s.test(t)
	}
}

func TestChecksOfRealTests(t *testing.T) {
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := exec.Command(os.Args[0], "-test.run=^TestScenario$", "-test.v", "-test.parallel=8")
			tool.Env = append(os.Environ(), scenarioVariable+"="+name)
			out, _ := tool.CombinedOutput() // it fails
			if diff := cmp.Diff(strings.Fields(s.want), strings.Fields(failures(string(out)))); diff != "" {
				t.Errorf("%s\n%s", diff, out)
			}
			logged := regexp.MustCompile(`leaktest: .*(not checked|no failure).*`).FindString(string(out))
			if s.logs == "" && logged != "" || !regexp.MustCompile(s.logs).MatchString(logged) {
				t.Errorf("logged %q, want %q\n%s", logged, s.logs, out)
			}
		})
	}
}

// failures returns the subtests that report leaks, each with the bytes, in the order of their names; "." is the test itself.
func failures(out string) string {
	var list []string
	of := ""
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "=== NAME  "); ok {
			of = strings.TrimSpace(name)
		} else if name, ok := strings.CutPrefix(line, "=== RUN   "); ok {
			of = strings.TrimSpace(name)
		} else if name, ok := strings.CutPrefix(line, "=== CONT  "); ok {
			of = strings.TrimSpace(name)
		}
		if m := regexp.MustCompile(`leaktest: \d+ blocks? (?:of|with) (\d+) bytes?, allocated`).FindStringSubmatch(line); m != nil {
			list = append(list, strings.TrimPrefix("."+strings.TrimPrefix(of, "TestScenario"), "./")+"="+m[1])
		}
	}
	return strings.Join(sorted(list), " ")
}

func leave(size uintptr) { victim.Malloc(size) }

// beside runs a subtest in parallel for each function, all at the same time.
func beside(t *testing.T, tests map[string]func(t *testing.T)) {
	var ready sync.WaitGroup
	ready.Add(len(tests))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Check(t, brief)
			ready.Done()
			ready.Wait()
			test(t)
		})
	}
}

var scenarios = map[string]scenario{
	"a leak": {test: func(t *testing.T) { Check(t); leave(10) }, want: ".=10"},

	"of parallel subtests one leaks": {test: func(t *testing.T) {
		beside(t, map[string]func(t *testing.T){
			"a": func(*testing.T) { victim.Free(victim.Malloc(20)) },
			"b": func(*testing.T) { leave(30) },
			"c": func(*testing.T) { time.Sleep(50 * time.Millisecond) },
		})
	}, want: "b=30"},

	"parallel subtests leak in goroutines": {test: func(t *testing.T) {
		in := func(size uintptr) func(*testing.T) {
			return func(*testing.T) {
				var ended sync.WaitGroup
				ended.Go(func() { leave(size) })
				ended.Wait()
			}
		}
		beside(t, map[string]func(t *testing.T){"a": in(1), "b": in(2), "c": func(*testing.T) {}, "d": in(4)})
	}, want: "a=1 b=2 d=4"},

	"a thread of C leaks beside parallel subtests": {test: func(t *testing.T) {
		beside(t, map[string]func(t *testing.T){"a": func(*testing.T) { victim.MallocOnThread(50) }, "b": func(*testing.T) { leave(60) }})
	}, want: "b=60", logs: `1 block of 50 bytes in use that may be of this test or of another`},

	"labels are replaced beside parallel subtests": {test: func(t *testing.T) {
		beside(t, map[string]func(t *testing.T){"a": func(*testing.T) {
			pprof.Do(context.Background(), pprof.Labels("k", "v"), func(context.Context) { leave(50) })
		}, "b": func(*testing.T) {}})
	}, logs: `1 block of 50 bytes in use that may be of this test or of another`},

	"labels are replaced in a test that is alone": {test: func(t *testing.T) {
		Check(t)
		pprof.Do(context.Background(), pprof.Labels("k", "v"), func(context.Context) { leave(50) })
	}, want: ".=50"},

	"a test around parallel subtests has what they leave": {test: func(t *testing.T) {
		Check(t)
		leave(1)
		t.Run("group", func(t *testing.T) {
			beside(t, map[string]func(t *testing.T){"a": func(*testing.T) { leave(10); victim.MallocOnThread(100) }, "b": func(*testing.T) {}})
		})
		t.Run("unchecked", func(*testing.T) { leave(1000) })
	}, want: "group/a=10"}, // which fails the tests around it: they are not checked

	"a test around parallel subtests has what is nobody's": {test: func(t *testing.T) {
		Check(t)
		leave(1)
		t.Run("group", func(t *testing.T) {
			beside(t, map[string]func(t *testing.T){"a": func(*testing.T) { victim.MallocOnThread(100) }, "b": func(*testing.T) {}})
		})
		t.Run("unchecked", func(*testing.T) { leave(1000) })
	}, want: ".=1101"},

	"nested subtests": {test: func(t *testing.T) {
		Check(t)
		t.Run("a", func(t *testing.T) {
			Check(t)
			leave(1)
			t.Run("b", func(t *testing.T) {
				Check(t)
				leave(10)
				t.Run("c", func(*testing.T) { leave(100) })
			})
			leave(1000)
		})
	}, want: "a/b=110"},

	"nested subtests that leave nothing": {test: func(t *testing.T) {
		Check(t)
		t.Run("a", func(t *testing.T) {
			Check(t)
			leave(1)
			t.Run("b", func(t *testing.T) {
				Check(t)
				victim.Free(victim.Malloc(10))
				t.Run("c", func(*testing.T) { leave(100) }) // within b
			})
		})
		t.Run("d", func(t *testing.T) {
			Check(t)
			t.Run("e", func(*testing.T) { leave(10) }) // within d
		})
	}, want: "a/b=100 d=10"},

	"a subtest that is clean": {test: func(t *testing.T) {
		Check(t)
		t.Run("a", func(t *testing.T) { Check(t); victim.Free(victim.Malloc(5)) })
		leave(3)
	}, want: ".=3"},

	"a check twice": {test: func(t *testing.T) {
		Check(t)
		leave(1)
		Check(t)
		leave(10)
	}, want: ".=10"},

	"t.Cleanup after the check": {test: func(t *testing.T) {
		Check(t)
		b := victim.Malloc(10)
		t.Cleanup(func() { victim.Free(b) })
	}},

	"t.Cleanup before the check": {test: func(t *testing.T) {
		h := &handle{}
		t.Cleanup(func() { h.Close() })
		Check(t)
		h.block = victim.Malloc(10)
	}, want: ".=10"},

	"a panic":     {test: func(t *testing.T) { Check(t); leave(10); panic("on purpose") }},
	"t.FailNow":   {test: func(t *testing.T) { Check(t); leave(10); t.FailNow() }},
	"t.Skip":      {test: func(t *testing.T) { Check(t); leave(10); t.SkipNow() }},
	"a clean one": {test: func(t *testing.T) { Check(t); victim.Free(victim.Malloc(10)) }},

	"t.Parallel after the check": {test: func(t *testing.T) {
		t.Run("a", func(t *testing.T) { Check(t); t.Parallel(); leave(10) })
		t.Run("b", func(t *testing.T) { Check(t); leave(20) })
	}, want: "b=20", logs: `the test called t\.Parallel after leaktest\.Check; call it before`},

	"t.Parallel before the check": {test: func(t *testing.T) { t.Parallel(); Check(t); leave(10) }, want: ".=10"},

	"parallel tests without a check leak beside one that is clean": {test: func(t *testing.T) {
		done := make(chan bool)
		t.Run("a", func(t *testing.T) { t.Parallel(); leave(10); close(done) })
		t.Run("b", func(t *testing.T) { t.Parallel(); Check(t); <-done; victim.Free(victim.Malloc(7)) })
	}},

	"an ignored function of a subtest": {test: func(t *testing.T) {
		Check(t)
		t.Run("a", func(t *testing.T) { Check(t, IgnoreFunction("C.victim_malloc")); leave(10) })
	}},
}
