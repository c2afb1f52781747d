//go:build !linux

package remote

import "errors"

func ticksSince(string, uint64) (uint64, error) { return 0, errors.ErrUnsupported }

func stop(string) (func(), error) { return nil, errors.ErrUnsupported }
