//go:build asan || msan

package cgo

const sanitized = true
