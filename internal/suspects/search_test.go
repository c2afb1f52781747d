package suspects

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// counted counts how often pointers are looked for.
func counted(looked *atomic.Int32, cost Cost, err error) Look {
	return func(<-chan struct{}) (Cost, error) {
		looked.Add(1)
		return cost, err
	}
}

func TestASearchIsNoMoreOftenThanItMay(t *testing.T) {
	for _, c := range []struct {
		cost Cost
		want time.Duration
	}{{Cost{}, 10 * time.Minute}, {Cost{Busy: 5 * time.Second}, 1000 * time.Second}, {Cost{Stood: 100 * time.Millisecond}, 1000 * time.Second}} {
		var looked atomic.Int32
		s := NewSearch(counted(&looked, c.cost, nil), nil)
		begin := time.Now()
		s.Ask()
		waitUntil(t, func() bool { when, looking, _ := s.State(); return !when.IsZero() && !looking })
		if early, late := begin.Add(c.want), time.Now().Add(c.want); s.next.Before(early) || s.next.After(late) {
			t.Errorf("%+v: the next may be at %v, want between %v and %v", c.cost, s.next, early, late)
		}
		for range 3 {
			s.Ask()
		}
		s.task.End()
		if looked.Load() != 1 {
			t.Errorf("%d", looked.Load())
		}
		if err := s.Now(); err != nil || looked.Load() != 2 {
			t.Error("who waits for it does not get it", err)
		}
		s.Stop()
	}
}

func TestAFailureOfASearchIsKnown(t *testing.T) {
	failure := errors.New("no room")
	var looked atomic.Int32
	s := NewSearch(counted(&looked, Cost{}, failure), nil)
	s.Learn(simStart, map[uint64]*Found{1: {lost: estimate{bytes: 1}}}, nil)
	if err := s.Now(); !errors.Is(err, failure) {
		t.Error(err)
	}
	if _, _, err := s.State(); !errors.Is(err, failure) {
		t.Error(err)
	}
	if f, known := s.Of(1); !known || f.Unreachable != 1 {
		t.Error("what was known is not any more")
	}
	s.Learn(simStart, nil, nil)
	if _, _, err := s.State(); err != nil {
		t.Error(err)
	}
	s.Stop()
}

func TestAHolderIsKeptByWhoDoesNotNameAny(t *testing.T) {
	s := NewSearch(nil, nil)
	found := func() map[uint64]*Found {
		var f Found
		f.Held(&Block{Bytes: 1}, 5)
		return map[uint64]*Found{1: &f}
	}
	s.Learn(simStart, found(), func(number int) Holder { return Holder{Name: fmt.Sprint("global ", number)} })
	s.Learn(simStart.Add(time.Minute), found(), nil)
	if f, _ := s.Of(1); f.Name != "global 5" || !f.When.After(simStart) {
		t.Errorf("%+v", f)
	}
	many := make(map[uint64]*Found)
	for stack := range uint64(2 * mostKnown) {
		many[stack] = &Found{held: estimate{bytes: float64(stack)}}
	}
	s.Learn(simStart, many, nil)
	if _, known := s.Of(2*mostKnown - 1); len(s.known) != mostKnown || !known {
		t.Error(len(s.known), known)
	}
}

func TestASearchEndsWithStop(t *testing.T) {
	begun := make(chan bool)
	s := NewSearch(func(ended <-chan struct{}) (Cost, error) {
		close(begun)
		<-ended
		return Cost{}, errors.New("nobody waits any more")
	}, nil)
	s.Ask()
	<-begun
	if _, looking, _ := s.State(); !looking {
		t.Error("it looks, and does not say so")
	}
	s.Stop()
	s.Stop()
	s.Ask()
	if when, looking, err := s.State(); when.IsZero() || looking || err == nil {
		t.Error(when, looking, err)
	}
	var none *Search
	none.Stop()
	none.Ask()
	if _, known := none.Of(1); known {
		t.Error("there is none")
	}
}
