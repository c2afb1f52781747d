//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package leaktest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// testbed stands for a test, and keeps what a check says of it.
type testbed struct {
	testing.TB // the test that it is for
	name       string
	errors     []string
	logs       []string
	failed     bool
	cleanups   []func()
}

func (b *testbed) Helper()                      {}
func (b *testbed) Name() string                 { return b.name }
func (b *testbed) Failed() bool                 { return b.failed }
func (b *testbed) Cleanup(f func())             { b.cleanups = append(b.cleanups, f) }
func (b *testbed) Logf(form string, all ...any) { b.logs = append(b.logs, fmt.Sprintf(form, all...)) }
func (b *testbed) Log(all ...any)               { b.logs = append(b.logs, fmt.Sprint(all...)) }
func (b *testbed) FailNow()                     { b.failed = true; runtime.Goexit() }

func (b *testbed) Error(all ...any) {
	b.failed = true
	b.errors = append(b.errors, fmt.Sprint(all...))
}

// run runs a test in a goroutine, as package testing does, and returns what was said of it.
func run(t testing.TB, name string, test func(testing.TB)) *testbed {
	b := &testbed{TB: t, name: name}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() {
			for _, f := range slices.Backward(b.cleanups) {
				f()
			}
		}()
		test(b)
	}()
	<-ended
	return b
}

// checked runs a test that begins with a check. On a busy machine, what ends late may end later than the second that a check has.
func checked(t testing.TB, test func(testing.TB), list ...Option) *testbed {
	return run(t, t.Name(), func(t testing.TB) {
		Check(t, slices.Insert(list, 0, Option(patient))...)
		test(t)
	})
}

// patient waits so long that only what never ends is a leak.
func patient(o *options) { o.patience = 10 * time.Minute }

// brief is for tests that leak: nothing ends late in them.
func brief(o *options) { o.patience = 0 }

// wants fails the test unless a check has said just one thing, in which all texts are.
func (b *testbed) wants(t *testing.T, texts ...string) {
	t.Helper()
	if len(b.errors) != 1 {
		t.Fatalf("%d failures, want 1: %q", len(b.errors), b.errors)
	}
	for _, text := range texts {
		if !strings.Contains(b.errors[0], text) {
			t.Errorf("%q is not in\n%s", text, b.errors[0])
		}
	}
}

func (b *testbed) wantsNothing(t *testing.T) {
	t.Helper()
	if len(b.errors)+len(b.logs) > 0 {
		t.Errorf("failures %q, logs %q", b.errors, b.logs)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
