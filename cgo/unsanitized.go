//go:build (!linux || (!amd64 && !arm64) || !cgo) && !asan && !msan

package cgo

const sanitized = false
