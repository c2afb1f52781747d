//go:build go1.27 && !go1.28

package goheap

// layout is internal/profilerecord.MemProfileRecord of Go 1.27.
type layout struct {
	ObjectSize                int64
	AllocObjects, FreeObjects int64
	Stack                     []uintptr
}

func (l *layout) record() record {
	return record{l.AllocObjects * l.ObjectSize, l.FreeObjects * l.ObjectSize, l.AllocObjects, l.FreeObjects, l.Stack}
}
