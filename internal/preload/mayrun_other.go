//go:build !linux

package preload

import "errors"

func mayRun(string) error { return errors.ErrUnsupported }
