package suspects

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func waitUntil(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not happen")
		}
	}
}

func TestMomentsAreTakenWhileSomebodyAsks(t *testing.T) {
	var taken atomic.Int32
	w := NewWatch(Options{Tick: time.Millisecond, Read: func(take func(uint64, func(func(*Block)))) error {
		take(10, func(see func(*Block)) { see(&Block{Stack: 1, Born: 5, Bytes: 100}) })
		taken.Add(1)
		return nil
	}})
	if w.Running() || len(w.Verdicts()) != 0 || taken.Load() != 0 {
		t.Error("nobody has asked")
	}
	w.Want()
	waitUntil(t, func() bool { return taken.Load() == 1 && len(w.Verdicts()) == 1 })
	if v := w.Verdicts()[0]; v.Bytes != 100 || v.Class != Steady || v.Age != 5*time.Millisecond {
		t.Errorf("%+v", v)
	}

	w.mu.Lock()
	w.asked = time.Now().Add(-memory - time.Second)
	w.mu.Unlock()
	w.task.Ask()
	waitUntil(t, func() bool { return !w.Running() })
	if list := w.Verdicts(); len(list) != 0 {
		t.Error("moments are kept that nobody wants", list)
	}
	w.Want()
	waitUntil(t, func() bool { return taken.Load() == 3 })
	w.Stop()
	w.Want()
	if w.Running() {
		t.Error("it runs after Stop")
	}
}

func TestAPanicOrAnErrorIsNoEnd(t *testing.T) {
	var calls atomic.Int32
	failed := make(chan error, 1)
	w := NewWatch(Options{Tick: time.Millisecond, Always: true, Read: func(func(uint64, func(func(*Block)))) error {
		if calls.Add(1) == 1 {
			panic("once")
		}
		return errors.New("not readable")
	}, Failed: func(err error) { failed <- err }})
	defer w.Stop()
	w.Want()
	if err := <-failed; err == nil {
		t.Error("no panic was reported")
	}
	w.task.Ask()
	waitUntil(t, func() bool { return calls.Load() == 2 })
	if len(w.Verdicts()) != 0 || !w.Running() {
		t.Error("it ended, or kept a moment")
	}
}

func TestNoWatch(t *testing.T) {
	var w *Watch
	w.Stop()
	if w.Running() {
		t.Error("there is none")
	}
}
