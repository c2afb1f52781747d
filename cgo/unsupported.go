//go:build !linux || !amd64 || !cgo

package cgo

import (
	"errors"
	"fmt"
	"runtime"
)

// Supported says why this build cannot record.
func Supported() error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("recording needs linux/amd64; this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return errors.New("recording needs cgo; this was built with CGO_ENABLED=0")
}
