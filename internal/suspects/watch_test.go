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

// That pointers are hidden is known until blocks of the stack are gone, also after the next search.
func TestHiddenPointersStayKnown(t *testing.T) {
	var ticks, inUse atomic.Uint64
	ticks.Store(10)
	inUse.Store(100)
	s := NewSearch(nil, nil)
	defer s.Stop()
	w := NewWatch(Options{Tick: time.Millisecond, Search: s, Read: func(take func(uint64, func(func(*Block)))) error {
		take(ticks.Load(), func(see func(*Block)) { see(&Block{Stack: 1, Born: 5, Bytes: float64(inUse.Load())}) })
		return nil
	}})
	defer w.Stop()
	seen := func(freed bool) {
		t.Helper()
		if _, err := w.add(time.Now()); err != nil {
			t.Fatal(err)
		}
		if f := w.Verdicts()[0].Finding; f == nil || f.Unreachable != 1 || f.Freed != freed {
			t.Errorf("%+v", f)
		}
	}
	learn := func() {
		var f Found
		f.Lost(&Block{Stack: 1, Bytes: float64(inUse.Load())})
		s.Learn(time.Now(), map[uint64]*Found{1: &f}, nil)
	}
	learn()
	seen(false)
	inUse.Store(95) // one whose pointer moved
	seen(false)
	inUse.Store(80)
	seen(true)
	learn()
	seen(true)
	s.Learn(time.Now(), nil, nil) // none of its blocks was old enough
	learn()
	seen(true)
}
