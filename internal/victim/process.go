package victim

// #include "victim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"sync"
	"syscall"
	"unsafe"
)

// BriefThreads starts that many threads, some at a time, each of which allocates size bytes, frees them and ends.
func BriefThreads(count int, size uintptr) error {
	return asError(C.victim_brief_threads(C.uint(count), C.size_t(size)))
}

// asError returns the error for an errno that was returned.
func asError(errno C.int) error {
	if errno == 0 {
		return nil
	}
	return syscall.Errno(errno)
}

// Slots hold blocks that threads exchange. The zero Slots are empty.
type Slots struct{ slots C.struct_victim_slots }

// SlotCount is how many slots there are.
const SlotCount = C.VICTIM_SLOTS

// Exchange runs threads, at most 16, that each allocate count blocks of size bytes. A block goes to a random slot, and the
// thread frees the one that was there.
func (s *Slots) Exchange(threads, count int, size uintptr) error {
	return asError(C.victim_exchange(&s.slots, C.uint(threads), C.uint(count), C.size_t(size)))
}

// Clear frees the blocks in the slots and returns how many there were.
func (s *Slots) Clear() (blocks int) {
	for i, block := range s.slots.blocks {
		if block != nil {
			blocks++
		}
		Free(block)
		s.slots.blocks[i] = nil
	}
	return blocks
}

// MallocInTLSDestructor lets a thread allocate two blocks of size bytes while it is destroyed, and free the first.
func MallocInTLSDestructor(size uintptr) unsafe.Pointer {
	return C.victim_malloc_in_tls_destructor(C.size_t(size))
}

// NewInThreadLocal returns the same in the destructor of a thread_local object, in C++. For Delete.
func NewInThreadLocal(size uintptr) unsafe.Pointer {
	return C.victim_cxx_thread_local(C.size_t(size))
}

// Constructed returns a block of 100 bytes that was allocated before main, which the caller must free; nil at the second call.
func Constructed() unsafe.Pointer { return C.victim_constructed() }

// PairSize is the size of the blocks of PairsOnThreads.
const PairSize = C.VICTIM_PAIR_SIZE

// PairsOnThreads allocates and frees the same number of blocks on each of the C threads at once, at one site, and returns
// the total number of pairs.
func PairsOnThreads(threads, pairs int) int64 {
	return int64(C.victim_pairs_on_threads(C.size_t(threads), C.size_t(pairs)))
}

//export victimRunGo
func victimRunGo(run C.uintptr_t) {
	cgo.Handle(run).Value().(func())()
}

// CallBack calls run from C: Go, C, Go. Nest it for more.
func CallBack(run func()) {
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	C.victim_call_go(C.uintptr_t(handle))
}

// MallocAround allocates size bytes, calls run from C, and allocates size bytes more in the same C function.
func MallocAround(run func(), size uintptr) (before, after unsafe.Pointer) {
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	pair := C.victim_malloc_around_go(C.uintptr_t(handle), C.size_t(size))
	return pair.first, pair.second
}

// MoveStack makes the calling goroutine's stack outgrow its memory, and lets others fill that memory with their own frames:
// a walk that still follows a pointer into it ends up in another goroutine.
func MoveStack() {
	useStack(stackPages)
	var others sync.WaitGroup
	for range 16 {
		others.Add(1)
		go func() { // grows through every size that a stack can have had
			defer others.Done()
			useStack(stackPages)
		}()
	}
	others.Wait()
}

const stackPages = 512

//go:noinline
func useStack(depth int) byte {
	var room [1024]byte
	room[depth%len(room)] = 1
	if depth > 0 {
		return room[depth%len(room)] + useStack(depth-1)
	}
	return room[0]
}

// MallocOnThread allocates size bytes on a C thread that never enters Go and has ended when it returns.
func MallocOnThread(size uintptr) unsafe.Pointer {
	return C.victim_malloc_on_thread(C.size_t(size))
}

// OnThread calls run from a C thread that is created for it, and waits for its end.
func OnThread(run func()) error {
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	if errno := C.victim_call_go_on_thread(C.uintptr_t(handle)); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}

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

// Filtered runs a thread under a filter of system calls, of so many instructions. The thread allocates on stacks of each kind, in code
// that nothing describes, and in signal handlers; it maps and unmaps, and attaches a System V segment, also over other memory.
func Filtered(instructions unsafe.Pointer, count, segment int) error {
	return asError(C.victim_filtered(instructions, C.ushort(count), C.int(segment)))
}

// A Child is what a new process does: it frees Block, which its parent allocated, and calls most of the malloc family a
// hundred times, for blocks of Size bytes. If it writes into Region it is killed; after Fork, also if it reads there.
type Child struct {
	Block  unsafe.Pointer
	Size   uintptr
	Region []byte // whole pages of memory that C mapped
}

func (c Child) forked() *C.struct_victim_fork {
	return &C.struct_victim_fork{
		block: c.Block, size: C.size_t(c.Size),
		region: unsafe.Pointer(unsafe.SliceData(c.Region)), region_size: C.size_t(len(c.Region)),
	}
}

// Fork calls fork, and waits for the child.
func (c Child) Fork() error { return ended(C.victim_fork(c.forked())) }

// RawClone calls clone past libc, which therefore runs no handlers, and waits for the child. Other threads must not be in
// malloc, or the child waits for them in vain.
func (c Child) RawClone() error { return ended(C.victim_raw_clone(c.forked())) }

// ended returns how a child ended: by itself, with a code that is not 0, or by a signal.
func ended(status C.int) error {
	switch {
	case status == 0:
		return nil
	case status < 0:
		return fmt.Errorf("the child was ended by signal %d", -status)
	default:
		return fmt.Errorf("no child, or it ended with %d", status)
	}
}

// VFork allocates size bytes in a vforked child, which has this process's memory, before it becomes another program.
func VFork(size uintptr) (unsafe.Pointer, error) {
	var block unsafe.Pointer
	err := ended(C.victim_vfork(C.size_t(size), &block))
	return block, err
}

// Spawn runs a program by posix_spawn.
func Spawn() error { return ended(C.victim_spawn()) }

// System runs a command by system.
func System() error { return ended(C.victim_system()) }

// Crash stores a word where no memory is, in C: the process dies of SIGSEGV, by way of Go's runtime.
func Crash() { C.victim_crash() }
