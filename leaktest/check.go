package leaktest

import (
	"runtime"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/kept"
)

// Check records every native allocation until the end of the test, and then fails the test if blocks that were allocated
// meanwhile are still in use, with their stacks. Before that it has the garbage collected, and waits until finalizers and
// cleanups have run, and then for a second more.
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
	for round := 0; ; round++ {
		if f, err = c.find(round == 0); err != nil || len(f.leaks) == 0 {
			return f, err
		}
		if round >= leastRounds && !time.Now().Before(end) {
			c.answerFor(&f)
			return f, nil
		}
		kept.Collect()
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
