//go:build !go1.28

package goheap

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// trial decides once whether this runtime's records have our layout.
type trial struct {
	mu      sync.Mutex
	verdict verdict
}

type verdict int

const (
	open verdict = iota // there was nothing to compare
	passed
	failed
)

var trusted trial

func (t *trial) check() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.verdict == open {
		before := untrusted()
		public := publicRecords()
		t.verdict = compare(before, public, untrusted())
	}
	return t.verdict == passed
}

// untrusted reads records whose layout may differ. There is as much memory again after the list, for longer records. The
// garbage collector does not look for pointers in it, where there may be numbers; stacks are not in its memory anyway.
func untrusted() []layout {
	return readAll(func(n int) []layout {
		const words = unsafe.Sizeof(layout{}) / unsafe.Sizeof(uintptr(0))
		memory := make([]uintptr, 2*n*int(words))
		return unsafe.Slice((*layout)(unsafe.Pointer(&memory[0])), n)
	}, readMemProfile)
}

// compare compares two lists of our layout with a public one that was read between the two. The runtime puts new stacks in
// front, so they are compared from the end. Counters only rise, so the public one lies between the other two, whatever was
// allocated and collected meanwhile. Stacks are read only if all numbers fit.
func compare(before []layout, public []runtime.MemProfileRecord, after []layout) verdict {
	if len(before) > len(public) || len(public) > len(after) {
		return failed
	}
	public, after = public[len(public)-len(before):], after[len(after)-len(before):]
	counted := false
	for i := range before {
		early, late, p := before[i].record(), after[i].record(), &public[i]
		if !isBetween(&early, p, &late) || !isOneStack(early.stack, len(p.Stack()), late.stack) {
			return failed
		}
		counted = counted || p.AllocObjects > 0
	}
	if !counted {
		return open
	}
	for i := range before {
		if s := before[i].Stack; !slices.Equal(s[:min(len(s), publicDepth)], public[i].Stack()) {
			return failed
		}
	}
	return passed
}

func isBetween(early *record, p *runtime.MemProfileRecord, late *record) bool {
	return early.allocBytes <= p.AllocBytes && p.AllocBytes <= late.allocBytes &&
		early.freeBytes <= p.FreeBytes && p.FreeBytes <= late.freeBytes &&
		early.allocObjects <= p.AllocObjects && p.AllocObjects <= late.allocObjects &&
		early.freeObjects <= p.FreeObjects && p.FreeObjects <= late.freeObjects
}

// isOneStack compares what can be compared without reading stacks. It also rejects lengths that may be addresses:
// GODEBUG=profstackdepth allows 1024.
func isOneStack(early []uintptr, publicLength int, late []uintptr) bool {
	return unsafe.SliceData(early) == unsafe.SliceData(late) && len(early) == len(late) && len(early) < 1<<12 &&
		min(len(early), publicDepth) == publicLength
}
