//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package cgo

import (
	"errors"
	"fmt"
	"runtime"
)

// Allocated does nothing, as nothing is recorded.
func Allocated(_, _ uintptr, _ string) {}

// Freed does nothing.
func Freed(uintptr) {}

// Pool does nothing.
func Pool(uintptr) {}

// Supported returns why this build cannot record.
func Supported() error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return fmt.Errorf("recording needs linux/amd64 or linux/arm64; this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if sanitized {
		return errors.New("recording needs malloc, and this was built with -asan or -msan, which take it")
	}
	return errors.New("recording needs cgo; this was built with CGO_ENABLED=0")
}
