//go:build !linux

package remote

import "errors"

func ticksSince(uint64) uint64 { return 0 }

func stop(string) (func(), error) { return nil, errors.ErrUnsupported }
