package scratch

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// least is the smallest piece that is worth a system call. Mappings are multiples of unit, a multiple of every page size.
const (
	least = 16 << 10
	unit  = 64 << 10
)

// Memory is the scratch memory of one piece of work. The zero value is ready for use; nil means Go's heap. It may be used
// from several goroutines at once. Free unmaps it.
type Memory struct {
	mu     sync.Mutex
	mapped map[*byte][]byte // by their first bytes
}

// Bytes returns n zero bytes, aligned for any type of which they hold a whole number.
func (m *Memory) Bytes(n int) []byte {
	if m == nil || n < least {
		return make([]byte, n)
	}
	b, err := mapPages(roundUp(n))
	if err != nil {
		return make([]byte, n)
	}
	m.note(b)
	return b[:n]
}

func roundUp(n int) int { return (n + unit - 1) &^ (unit - 1) }

func (m *Memory) note(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mapped == nil {
		m.mapped = make(map[*byte][]byte)
	}
	m.mapped[&b[0]] = b
	count(len(b))
	pieces.add(b)
}

// held counts the bytes mapped for all Memories, and the most since Held was called.
var held struct{ now, most atomic.Int64 }

func count(bytes int) {
	now := held.now.Add(int64(bytes))
	for {
		most := held.most.Load()
		if now <= most || held.most.CompareAndSwap(most, now) {
			return
		}
	}
}

// Held returns how many bytes are mapped now, and the most since its last call.
func Held() (now, most int64) {
	now = held.now.Load()
	return now, held.most.Swap(now)
}

// take returns the mapping that b begins, and forgets it; nil if b is in Go's heap.
func (m *Memory) take(b []byte) []byte {
	if m == nil || cap(b) == 0 {
		return nil
	}
	first := unsafe.SliceData(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	mapped := m.mapped[first]
	delete(m.mapped, first)
	count(-len(mapped))
	pieces.remove(mapped)
	return mapped
}

// Release frees a piece that Bytes returned, and does nothing with any other slice.
func (m *Memory) Release(b []byte) {
	if mapped := m.take(b); mapped != nil {
		unmap(mapped)
	}
}

// Free frees all pieces.
func (m *Memory) Free() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.mapped {
		count(-len(b))
		pieces.remove(b)
		unmap(b)
	}
	m.mapped = nil
}

// Drop returns the pages of the first n bytes of a piece to the kernel. Their content must not be read again. The piece
// itself must still be released.
func (m *Memory) Drop(b []byte, n int) {
	if m == nil || cap(b) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if mapped := m.mapped[unsafe.SliceData(b)]; mapped != nil {
		drop(mapped[:min(n, len(mapped))])
	}
}

// Slice returns n zero values. They come from Go's heap if they hold pointers.
func Slice[T any](m *Memory, n int) []T {
	if m == nil || holdsPointers[T]() {
		return make([]T, n)
	}
	return values[T](m.Bytes(n * size[T]()))
}

// Append is append for a slice that came from Slice, or is nil.
func Append[T any](m *Memory, s []T, v T) []T {
	if len(s) == cap(s) {
		s = Grow(m, s, 1)
	}
	return append(s, v)
}

// Grow makes room for n more values in a slice that came from Slice, Append or Grow, or is nil.
func Grow[T any](m *Memory, s []T, n int) []T {
	switch {
	case cap(s)-len(s) >= n:
		return s
	case m == nil || holdsPointers[T]():
		return slices.Grow(s, n)
	}
	old := bytesOf(s[:cap(s)])
	wanted := max(2*len(old), (len(s)+n)*size[T](), least)
	if mapped := m.take(old); mapped != nil {
		if moved, err := remap(mapped, roundUp(wanted)); err == nil {
			m.note(moved)
			return values[T](moved)[:len(s)]
		}
		m.note(mapped)
	}
	grown := values[T](m.Bytes(wanted))[:len(s)]
	copy(grown, s)
	m.Release(old)
	return grown
}

// ReleaseSlice frees a slice that came from Slice or Append.
func ReleaseSlice[T any](m *Memory, s []T) { m.Release(bytesOf(s[:cap(s)])) }

// DropSlice is Drop for the first n values of a slice that came from Slice or Append.
func DropSlice[T any](m *Memory, s []T, n int) { m.Drop(bytesOf(s[:cap(s)]), n*size[T]()) }

func size[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

func values[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size[T]())
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size[T]())
}

// The garbage collector does not look into scratch memory. An object that only a pointer there refers to would be freed
// while it is in use, and its memory reused. So values that hold pointers are never mapped: they come from Go's heap.

// heaped records for each type that was asked for whether its values hold pointers.
var heaped sync.Map

// holdsPointers reports whether values of type T hold pointers.
func holdsPointers[T any]() bool {
	t := reflect.TypeFor[T]()
	if known, ok := heaped.Load(t); ok {
		return known.(bool)
	}
	found := pointersIn(t)
	heaped.Store(t, found)
	return found
}

func pointersIn(t reflect.Type) bool {
	switch kind := t.Kind(); {
	case kind <= reflect.Complex128: // numbers, and bool
		return false
	case kind == reflect.Array:
		return t.Len() > 0 && pointersIn(t.Elem())
	case kind == reflect.Struct:
		for i := range t.NumField() {
			if pointersIn(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}

// Heaped returns the names of the types with pointers that were asked for until now. Their values take Go's heap, which
// scratch memory is meant to spare. For tests.
func Heaped() []string {
	var names []string
	heaped.Range(func(t, holds any) bool {
		if holds.(bool) {
			names = append(names, t.(reflect.Type).String())
		}
		return true
	})
	slices.SortFunc(names, strings.Compare)
	return names
}
