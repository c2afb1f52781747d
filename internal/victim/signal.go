package victim

// #include "victim.h"
import "C"

import (
	"errors"
	"syscall"
	"unsafe"
)

// MallocInHandler allocates size bytes in a signal handler, on the stack of what it interrupts.
func MallocInHandler(size uintptr) unsafe.Pointer {
	return C.victim_malloc_in_handler(C.size_t(size))
}

// MallocOnSignalStack does so on a stack of the signal's own, which is unmapped afterwards.
func MallocOnSignalStack(size uintptr) unsafe.Pointer {
	return C.victim_malloc_on_signal_stack(C.size_t(size))
}

// CountSignals counts the signals of this number until the function that it returns is called, which returns how many there
// were. They have a handler, which still gets them. One kind at a time.
func CountSignals(number syscall.Signal) (counted func() uint64, err error) {
	if err := asError(C.victim_count_signals(C.int(number))); err != nil {
		return nil, err
	}
	return func() uint64 { return uint64(C.victim_counted_signals()) }, nil
}

// Interrupted allocates size bytes, resizes and frees them, count times, while signals come as fast as they can, whose
// handler does the same with handlerSize bytes wherever it interrupts: in malloc too, which the allocator must allow. It
// returns how many blocks handlers allocated: some thousands at most, however slow the machine is.
func Interrupted(count int, size, handlerSize uintptr) int64 {
	return int64(C.victim_interrupted(C.uint(count), C.size_t(size), C.size_t(handlerSize)))
}

// JumpOut has a thread map and unmap, until a signal's handler has jumped out of that so many times.
func JumpOut(times int) error {
	if C.victim_jump_out(C.uint(times)) != 0 {
		return errors.New("a thread could not be started")
	}
	return nil
}

// RaiseOnThread has a thread of C that ends afterwards raise the signal. It may have called Go before, and have a stack for signals of
// its own.
func RaiseOnThread(number syscall.Signal, callsGo, hasStack bool) error {
	return asError(C.victim_raise_on_thread(C.int(number), asInt(callsGo), asInt(hasStack)))
}

func asInt(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

//export victimNothing
func victimNothing() {}

// ReplaceHandler gives the signal a handler of C's that passes nothing on, with flags such as SA_ONSTACK, until restore is called.
// reached says how many signals it has had.
func ReplaceHandler(number syscall.Signal, flags uint32) (reached func() uint64, restore func() error, err error) {
	if err := asError(C.victim_replace_handler(C.int(number), C.uint(flags))); err != nil {
		return nil, nil, err
	}
	return func() uint64 { return uint64(C.victim_replaced()) }, func() error { return asError(C.victim_restore_handler()) }, nil
}
