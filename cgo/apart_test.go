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
