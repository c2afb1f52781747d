//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

func TestPanicOnTheWakersThreadGoesNoFurther(t *testing.T) {
	called := 0
	bad, err := Await(WakeUnknown, func(Reason) { panic("boom") })
	if err != nil {
		t.Fatal(err)
	}
	defer bad()
	stop, err := Await(WakeUnknown|WakeLoaded, func(Reason) { called++ })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	woken(1)
	woken(2)
	woken(4)
	if called != 2 {
		t.Errorf("%d calls, want 2", called)
	}
}

// A bubble waits for the goroutines that begin in it.
func TestTheWakersGoroutineIsNotOneOfTheProgram(t *testing.T) {
	var stop func()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if stop, err = Await(WakeUnknown, func(Reason) {}); err != nil {
			t.Fatal(err)
		}
	})
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if strings.Contains(string(stacks), "cgoheapWakeAndAnswer") {
		t.Errorf("%s", stacks)
	}
	synctest.Test(t, func(*testing.T) { stop() })
}
