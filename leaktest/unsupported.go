//go:build !linux || (!amd64 && !arm64) || !cgo || asan || msan

package leaktest

import "github.com/cgoheap/cgoheap/alloc"

// lost is never called, because nothing can be recorded.
func (c *check) lost() (*alloc.Snapshot, error) { return c.session.recording.Snapshot() }
