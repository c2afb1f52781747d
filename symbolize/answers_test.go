package symbolize

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cgoheap/cgoheap/mappings"
)

func TestAnswersAreForgottenWhenNobodyAsksForThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := New(Options{}), module("no such file")
		ask := func() { s.Resolve(m, []mappings.ELFAddr{1}) }
		for range 3 {
			ask()
			time.Sleep(idleLimit - time.Minute)
		}
		if kept(s) == 0 {
			t.Error("answers that were asked for are forgotten")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := kept(s); n != 0 {
			t.Errorf("%d answers are kept", n)
		}
		ask()
		if s.reset(); kept(s) != 0 {
			t.Error("Reset keeps something")
		}
	})
}

func TestARetiredSymbolizerNamesAndRemembersNothing(t *testing.T) {
	s, m := New(Options{}), module("/proc/self/exe")
	addresses := every(1009, everyByte(t, m.Path))[:100]
	want := s.Resolve(m, addresses)
	s.Retire()
	if kept(s) != 0 || s.indexes.count != 0 {
		t.Error("it still has names")
	}
	if got := s.Resolve(m, addresses); !reflect.DeepEqual(got, want) {
		t.Error("it gives other names")
	}
	if kept(s) != 0 || s.indexes.count != 0 {
		t.Error("it remembers names")
	}
}

// kept returns how many answers a Symbolizer keeps, -1 if other traces of answers are left.
func kept(s *Symbolizer) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers.count == 0 && (s.answers.idle != nil || s.answers.modules != nil) {
		return -1
	}
	return s.answers.count
}

func TestNoMoreAnswersAreKeptThanTheLimitAndOneQuestion(t *testing.T) {
	const each = answerLimit/4 + 1
	s, asked := New(Options{}), 0
	for range 9 {
		addresses := make([]mappings.ELFAddr, each)
		for i := range addresses {
			addresses[i] = mappings.ELFAddr(asked + i)
		}
		asked += each
		s.Resolve(module("no such file"), addresses)
		if n := kept(s); n < each || n >= answerLimit+each {
			t.Fatalf("after %d addresses %d answers are kept", asked, n)
		}
	}
}
