//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"errors"
	"testing"
)

func TestPanicOfAProbeIsAnError(t *testing.T) {
	if err := apart("a probe", func() error { panic("boom") }); err == nil || err.Error() != "a probe panicked: boom" {
		t.Error(err)
	}
	if err := apart("a probe", func() error { return errors.New("no") }); err == nil || err.Error() != "no" {
		t.Error(err)
	}
	if err := apart("a probe", func() error { return nil }); err != nil {
		t.Error(err)
	}
}

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
	cgoheapWoken(1)
	cgoheapWoken(2)
	cgoheapWoken(4)
	if called != 2 {
		t.Errorf("%d calls, want 2", called)
	}
}
