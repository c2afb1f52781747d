//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/peek"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Below its stack pointer, a stack has what the thread left there earlier: addresses of blocks too, which nobody uses any more. The
// kernel says where the stack pointer of a thread is that waits, and by how often it has had its turn that it has not run meanwhile. Go's
// own threads wait in Go's own code, which keeps nothing of C's in registers, so that nothing below counts. A thread that waits in C may
// have a block's address in a register only, which the function that it has called, or called before, is likely to have saved just
// below: a page there counts, too. The whole stack counts of a thread that runs.
//
// A thread that waits elsewhere, as a signal handler does on a stack that Go or the program has given it, and a coroutine of C's, has
// there what is above its stack pointer, and the registers that the signal has interrupted.
//
// Of the stack of a thread that has ended, libc keeps the control block, with pointers to blocks that the next thread on the stack will
// use.

// arguments is how many a system call has at most.
const arguments = 6

// kept is how much counts below the stack pointer of a thread that waits in C.
const kept = 4096

// stack is a thread's stack, and what tells whether the thread has run meanwhile.
type stack struct {
	stackRange
	thread int    // 0 if it has ended
	turns  string // how often it has run; "" if that is unknown

	passed [arguments]uint64 // to the system call in which it waits
	other  uint64            // its stack pointer, if it waits in C on another stack; 0 if not
}

// otherStack is how much counts above a stack pointer on another stack: Go's for signals have 32 KiB.
const otherStack = 64 << 10

// others returns the words on other stacks, by thread. No other copy of them remains, which would hold blocks.
func others(list []stack) map[int][]uint64 {
	words := make(map[int][]uint64)
	for _, s := range list {
		if s.other == 0 {
			continue
		}
		room := make([]uint64, (kept+otherStack)/8)
		n := peek.Copy(unsafe.Slice((*byte)(unsafe.Pointer(&room[0])), len(room)*8), s.other-kept)
		words[s.thread] = room[:n/8]
	}
	return words
}

// stacksNow returns the stacks of threads, ascending.
func stacksNow(k usage.Kernel, known []account.Stack) []stack {
	list, tasks := make([]stack, 0, len(known)+1), k.Tasks()
	if first, found := firstStack(k); found {
		known = append(slices.Clip(known), first)
	}
	for _, s := range known {
		one := stack{stackRange: stackRange{Start: s.Start, Limit: s.Limit, From: s.Start}, thread: s.Thread}
		if s.Thread == 0 && s.Control >= s.Start && s.Control < s.Limit {
			one.From = s.Control
		} else if s.Thread != 0 {
			one.look(tasks)
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b stack) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// firstStack returns the stack of the first thread, which libc has not made and does not list.
func firstStack(k usage.Kernel) (s account.Stack, found bool) {
	all, _ := list(k.Path("maps"))
	i := slices.IndexFunc(all, func(m listed) bool { return m.name == "[stack]" })
	if i < 0 {
		return s, false
	}
	return account.Stack{Range: all[i].Range, Thread: os.Getpid()}, true
}

// look reads where a thread waits: "number arguments... sp pc", or "-1 sp pc" outside of a call; one that runs has the word "running".
func (s *stack) look(tasks usage.Tasks) {
	where, err := descriptor.ReadFile(tasks.File(s.thread, "syscall"))
	fields := bytes.Fields(where)
	if err != nil || len(fields) < 3 {
		return
	}
	sp, failed := strconv.ParseUint(string(fields[len(fields)-2]), 0, 64)
	pc, err := strconv.ParseUint(string(fields[len(fields)-1]), 0, 64)
	if failed != nil || err != nil {
		return
	}
	switch inGo, here := runtime.FuncForPC(uintptr(pc)) != nil, s.Start <= sp && sp < s.Limit; {
	case inGo && !here:
		sp = onGoroutine
	case here && !inGo:
		sp = max(s.Start, sp-kept)
	case !here:
		s.other, sp = sp&^7, s.Start
	}
	if turns, err := descriptor.ReadFile(tasks.File(s.thread, "schedstat")); err == nil {
		s.From, s.turns = sp, string(turns)
		if len(fields) == len(s.passed)+3 {
			for i := range s.passed {
				s.passed[i], _ = strconv.ParseUint(string(fields[i+1]), 0, 64) // what is no number points to nothing
			}
		}
	}
}

// stayed returns the stacks of both lists, each with what is in use of it, and what threads have passed to the kernel, where both were the
// same before and after the copy was made and the thread did not run meanwhile; otherwise all of the stack. ran counts the other threads that
// did. elsewhere are the words on other stacks before.
func stayed(before, after []stack, elsewhere map[int][]uint64) (m moment, ran int) {
	var list []stackRange
	room := arguments * len(before)
	for _, words := range elsewhere {
		room += len(words)
	}
	m.Registers = make([]uint64, 0, room)
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Start < after[0].Start:
			ran += before[0].ran()
			list, before = append(list, before[0].whole()), before[1:]
		case len(before) == 0 || after[0].Start < before[0].Start:
			ran += after[0].ran()
			list, after = append(list, after[0].whole()), after[1:]
		case before[0] == after[0]:
			for _, word := range before[0].passed {
				if word != 0 {
					m.Registers = append(m.Registers, word)
				}
			}
			m.Registers = append(m.Registers, elsewhere[before[0].thread]...)
			ran += before[0].ran()
			list, before, after = append(list, before[0].stackRange), before[1:], after[1:]
		default:
			ran++
			s := before[0].whole()
			s.Limit = max(s.Limit, after[0].Limit)
			list, before, after = append(list, s), before[1:], after[1:]
		}
	}
	m.Stacks = list
	return m, ran
}

// ran returns 1 if the thread, which is not the one that asks, has run or may have.
func (s *stack) ran() int {
	if s.thread == 0 || s.turns != "" || s.thread == unix.Gettid() {
		return 0
	}
	return 1
}

func (s *stack) whole() stackRange {
	return stackRange{Start: s.Start, Limit: s.Limit, From: s.Start}
}
