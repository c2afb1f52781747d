//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package nvml

import "errors"

// Ask fails.
func Ask(int) (Card, error) { return Card{}, errors.ErrUnsupported }
