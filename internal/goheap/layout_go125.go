//go:build !go1.27

package goheap

// layout is internal/profilerecord.MemProfileRecord of Go 1.23 to 1.26.
type layout struct {
	AllocBytes, FreeBytes     int64
	AllocObjects, FreeObjects int64
	Stack                     []uintptr
}

func (l *layout) record() record {
	return record{l.AllocBytes, l.FreeBytes, l.AllocObjects, l.FreeObjects, l.Stack}
}
