package account

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Most stacks are known from libc. What remains are threads that libc did not make, or all if its lists could not be read. For
// these there are stack pointers.

// stacksOf returns the claims of threads that run, or of those that have ended.
func stacksOf(stacks []Stack, h holder) (list []claim) {
	for _, s := range stacks {
		if (s.Thread == 0) == (h == endedStack) {
			list = append(list, claim{s.Range, h, -1})
		}
	}
	return list
}

// threadPointers returns the stack pointers of the threads that wait in the kernel and whose stacks are not known, ascending. A
// thread that runs has none that could be read without stopping it, so its stack is known only if it waited at another time; so is
// that of a thread whose file may not be read.
func threadPointers(tasks usage.Tasks, stacks []Stack) (list []uint64) {
	known := make(map[string]bool, len(stacks))
	for _, s := range stacks {
		known[tasks.Name(s.Thread)] = true
	}
	d, err := descriptor.Open(tasks.All())
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if known[name] {
			continue
		}
		text, err := descriptor.ReadFile(filepath.Join(tasks.All(), name, "syscall"))
		if err != nil {
			continue
		}
		if sp, ok := stackPointer(text); ok {
			list = append(list, sp)
		}
	}
	slices.Sort(list)
	return list
}

// stackPointer parses "number arguments... sp pc", or "-1 sp pc" of a thread that waits outside of a call; a thread that runs
// has the word "running".
func stackPointer(text []byte) (uint64, bool) {
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return 0, false
	}
	return number(bytes.TrimPrefix(fields[len(fields)-2], []byte("0x")), 16)
}

// mostStack is how far a stack may reach from its end, or from its thread's stack pointer: the usual size.
const mostStack = 8 << 20

// stackIn returns the part of an area that is the stack of a thread whose stack pointer lies there. libc maps a stack with a
// guard below it, so the stack begins where the area does. The kernel may have joined the area to its neighbour above.
func stackIn(a *area, sp uint64) Range {
	if sp-a.Start <= mostStack {
		return Range{a.Start, min(a.Limit, a.Start+mostStack)}
	}
	return Range{sp - mostStack, min(a.Limit, sp+mostStack)}
}

// stacksIn returns the stacks of threads in an area, ascending. Areas must come in ascending order.
func (w *walk) stacksIn(a *area) (stacks []Range) {
	for len(w.threads) > 0 && w.threads[0] < a.Start {
		w.threads = w.threads[1:]
	}
	var last uint64
	for ; len(w.threads) > 0 && w.threads[0] < a.Limit; w.threads = w.threads[1:] {
		if s := stackIn(a, w.threads[0]); s.Limit > last {
			s.Start, last = max(s.Start, last), s.Limit
			stacks = append(stacks, s)
		}
	}
	return stacks
}
