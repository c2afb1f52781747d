package leaktest

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/kept"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Check records every native allocation until the end of the test, and then fails the test if blocks that were allocated
// meanwhile are still in use, with their stacks. Before that it has the garbage collected, and waits until finalizers and
// cleanups have run, and then for a second more. If none of these ends and nothing is freed for a second, or they take more than a
// minute, Check waits no longer, and the failure says so.
//
// Call it first, after t.Parallel: functions that the test registers with t.Cleanup afterwards then run before the check. A
// test that was skipped, failed or panicked is not checked: it ends in the middle, and what its functions hold is no garbage
// yet. Neither is one around a subtest that failed. Where nothing can be recorded, or another profiler is running, Check logs
// why, and does nothing else.
func Check(t testing.TB, list ...Option) {
	t.Helper()
	c := &check{name: t.Name(), parallel: isParallel(t), options: newOptions(list)}
	if err := shared.begin(c); err != nil {
		t.Logf("leaktest: not checked: %v", err)
		return
	}
	t.Cleanup(func() {
		t.Helper()
		defer shared.end(c)
		c.judge(t)
	})
}

// judge fails the test, or logs why it does not although there is something to say.
func (c *check) judge(t testing.TB) {
	t.Helper()
	if t.Failed() || t.Skipped() || panicking() {
		return
	}
	if !c.parallel && isParallel(t) {
		t.Error("leaktest: not checked: the test called t.Parallel after leaktest.Check; call it before")
		return
	}
	f, err := c.wait()
	if err != nil {
		t.Logf("leaktest: not checked: %v", err)
		return
	}
	if len(f.leaks) > 0 && f.doubt == "" {
		t.Error(f.text())
	}
	for _, note := range f.notes() {
		t.Log(note)
	}
}

// panicking reports whether the calling goroutine runs its deferred functions because of a panic. Package testing runs those of
// t.Cleanup before it marks the test as failed.
func panicking() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}

// wait returns the blocks that are in use and stay so.
func (c *check) wait() (f found, err error) {
	c.judged = time.Now()
	end := c.judged.Add(c.patience)
	const leastRounds = 3
	pause := time.Millisecond
	var notDone error
	for round := 0; ; round++ {
		if f, err = c.find(round == 0); err != nil || len(f.leaks) == 0 {
			return f, err
		}
		f.notDone = notDone
		if round >= leastRounds && !time.Now().Before(end) {
			c.answerFor(&f)
			return f, nil
		}
		if notDone == nil { // it has waited long enough
			notDone = kept.Collect(c.session.freed)
		}
		time.Sleep(pause)
		pause = min(2*pause, longestPause)
	}
}

const longestPause = 100 * time.Millisecond

func (c *check) answerFor(f *found) {
	for i := range f.samples {
		c.session.answer(&f.samples[i])
	}
}

// Option changes what Check counts as a leak.
type Option func(*options)

type options struct {
	ignored     []string // names of functions, or beginnings of names followed by *
	unreachable bool
	patience    time.Duration
}

// patience is how long a leak must last. Work that a test has begun may still be ending in other goroutines and threads.
const patience = time.Second

func newOptions(list []Option) options {
	o := options{patience: patience}
	for _, option := range list {
		option(&o)
	}
	return o
}

// IgnoreFunction leaves out blocks with a function of one of these names in their stack, at any depth. A name must be equal to
// the one that the failure prints, or to the linker's name; one that ends with * matches all names that begin so. A function
// of C that Go calls also has the name C.NAME, even where the names of C functions are missing.
func IgnoreFunction(names ...string) Option {
	return func(o *options) { o.ignored = append(o.ignored, names...) }
}

// UnreachableOnly has Check count only blocks that nothing in the program's memory was found to point to: no caches, and nothing that a library
// allocates once and keeps. A copy of the process looks for pointers, after a tenth of a second, if the test leaves anything; see
// docs/reach.md for the pointers that it does not see, and for the words that it takes for one: with this option a Check can
// miss a leak. Where the process cannot be copied, the test is not checked, and Check logs why.
func UnreachableOnly() Option {
	return func(o *options) { o.unreachable = true }
}

// ignores reports whether the options leave out a stack.
func (o *options) ignores(lines []symbolize.Line) bool {
	for _, name := range o.ignored {
		for i := range lines {
			if matches(name, lines[i].Function) || matches(name, lines[i].SystemName) {
				return true
			}
		}
	}
	return false
}

func matches(pattern, name string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, start)
	}
	return name == pattern && name != ""
}

// isParallel reports whether other tests may run at the same time: t.Parallel was called in the test or in one that it is a
// subtest of. Package testing tells nobody, so its fields are read. Where they cannot be found, the answer is the cautious one,
// true.
func isParallel(t testing.TB) bool {
	v := reflect.ValueOf(t)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return true
	}
	if wrapped, ok := v.Type().FieldByName("TB"); ok && wrapped.Type == reflect.TypeFor[testing.TB]() {
		v = v.FieldByName("TB") // somebody else's testing.TB around one of package testing
		return v.IsNil() || isParallel(v.Interface().(testing.TB))
	}
	for {
		own, parent := v.FieldByName("isParallel"), v.FieldByName("parent")
		if own.Kind() != reflect.Bool || own.Bool() || parent.Kind() != reflect.Pointer || parent.Type().Elem().Kind() != reflect.Struct {
			return true
		}
		if parent.IsNil() {
			return false
		}
		v = parent.Elem()
	}
}
