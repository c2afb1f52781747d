//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// loseSeen makes a leak, and waits until a moment has it.
func loseSeen(t *testing.T, p *Profiler) {
	t.Helper()
	holdAndLose(200, 20_000)
	settled()
	p.suspects.Look()
	eventually(t, "a moment has the blocks", func() bool {
		list, err := p.Suspects()
		return err == nil && indexOf(list, "victim_lose") >= 0
	})
}

// suspectUnheld has alarms suspect at once what nothing was found to point to.
func suspectUnheld(t *testing.T) {
	t.Helper()
	was := verdicts
	t.Cleanup(func() { verdicts = was })
	verdicts = func(w *suspects.Watch) []suspects.Verdict {
		list := was(w)
		for i := range list {
			if list[i].Class == suspects.Unheld {
				list[i].Class = suspects.Leak
			}
		}
		return list
	}
}

// lose has pointers looked for, too.
func lose(t *testing.T, p *Profiler) {
	t.Helper()
	loseSeen(t, p)
	if err := p.SearchSuspects(); err != nil {
		t.Fatal(err)
	}
}

func TestOnSuspectIsCalled(t *testing.T) {
	if !profiletest.Afresh(t) { // other tests leave addresses behind
		return
	}
	suspectUnheld(t)
	var log logged
	var p atomic.Pointer[Profiler]
	calls := make(chan Suspect, 100)
	running := p.Load
	recorder := profiletest.Record(t, Start, Config{SampleBytes: 1, Logger: slog.New(slog.NewTextHandler(&log, nil)), OnSuspect: func(s Suspect) {
		if indexOf([]Suspect{s}, "victim_lose") < 0 {
			return // what other tests have lost
		}
		list, err := running().Suspects()
		if err != nil || indexOf(list, "victim_lose") < 0 {
			t.Error(list, err)
		}
		if err := running().Write(io.Discard, Selection{}); err != nil {
			t.Error(err)
		}
		calls <- s
		panic("on purpose")
	}})
	p.Store(recorder)
	defer freeHeld(recorder)
	if !recorder.suspects.Running() {
		t.Error("no moments are taken")
	}
	lose(t, recorder)
	got := <-calls
	if got.Class != "leak" || got.Bytes == 0 || got.Unreachable < leastProven || len(got.Stack) == 0 || got.Searched.IsZero() || got.Function == "" {
		t.Errorf("%+v", got)
	}
	eventually(t, "the panic is logged", func() bool { return strings.Contains(log.String(), "Config.OnSuspect panicked: on purpose") })
	if err := recorder.SearchSuspects(); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Stop(); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 0 {
		t.Errorf("it was called again: %+v", <-calls)
	}
}

//go:noinline
func loseHere() { victim.Lose(300_000) }

//go:noinline
func loseThere() { victim.Lose(300_000) }

// What is told one after the other is called as what is told together.
func TestOnSuspectIsToldSuspectsApart(t *testing.T) {
	told := make(chan string, 10)
	p := profiletest.Record(t, Start, Config{SampleBytes: 1, OnSuspect: func(s Suspect) {
		name, _, _ := strings.Cut(s.Sentence, ": ")
		told <- name
	}})
	defer freeHeld(p)
	loseHere()
	loseThere()
	settled()
	p.suspects.Look()
	var lost []suspects.Verdict
	eventually(t, "a moment has the blocks", func() bool {
		lost = slices.DeleteFunc(p.suspects.Verdicts(), func(v suspects.Verdict) bool { return v.Thing != nil || v.Bytes != 300_000 })
		return len(lost) == 2
	})
	names := make(map[string]bool)
	for _, v := range lost {
		for _, call := range p.tellings([]suspects.Verdict{v}) {
			call()
			name := <-told
			if names[name] {
				t.Errorf("two are called %s", name)
			}
			names[name] = true
		}
	}
	if len(names) < 2 {
		t.Errorf("told: %v", names)
	}
}

func TestOnSuspectThatBlocksOrStops(t *testing.T) {
	suspectUnheld(t)
	begun, goOn := make(chan bool, 100), make(chan bool)
	p := profiletest.Record(t, Start, Config{SampleBytes: 1, OnSuspect: func(Suspect) { begun <- true; <-goOn }})
	lose(t, p)
	<-begun
	if err := p.Stop(); err != nil { // would hang
		t.Fatal(err)
	}
	close(goOn)

	stopped := make(chan error, 100)
	var second atomic.Pointer[Profiler]
	p = profiletest.Record(t, Start, Config{SampleBytes: 1, OnSuspect: func(Suspect) { stopped <- second.Load().Stop() }})
	second.Store(p)
	loseSeen(t, p)
	_ = p.SearchSuspects() // the call may come first, and its Stop ends the search
	select {
	case err := <-stopped:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Minute):
		t.Fatal("Stop hangs in the call")
	}
	freeHeld(p)
}
