//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package twin

// #cgo CFLAGS: -Wall -O2 -fno-omit-frame-pointer -fvisibility=hidden -fno-plt -fno-lto
// #cgo CPPFLAGS: -include names.h
// #include "chunks.h"
// #include "twin.h"
// #include <sys/auxv.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/malloc"
)

// Shared is memory that the process and its copy share. It has a task, and behind that lists.
type Shared struct {
	Blocks []Block // recorded blocks in use, ascending, to be filled in before Look
	Found  []Found // of each, once Look has returned

	memory []byte
	task   *C.struct_twin_task
}

// Block is struct twin_block.
type Block struct{ At, Size uint64 }

// stackRange is struct twin_stack.
type stackRange struct{ Start, Limit, From uint64 }

// fileRange is struct twin_file.
type fileRange struct {
	Start, Limit, Offset uint64
	File                 int32 // descriptor
}

// onGoroutine as stackRange.From says that the thread is on a goroutine's stack.
const onGoroutine = C.TWIN_ON_GOROUTINE

// The kinds of roots that report.go does not have.
const (
	RootData    = Root(C.TWIN_ROOT_DATA)
	RootStack   = Root(C.TWIN_ROOT_STACK)
	RootGoHeap  = Root(C.TWIN_ROOT_GO_HEAP)
	RootGoStack = Root(C.TWIN_ROOT_GO_STACK)
	RootMapping = Root(C.TWIN_ROOT_MAPPING)
	RootEpoll   = Root(C.TWIN_ROOT_EPOLL)
)

// Both languages have the same structures.
var (
	_ [C.TWIN_ROOT_UNKNOWN]byte                  = [RootUnknown]byte{}
	_ [C.TWIN_ROOT_IN_GO]byte                    = [RootInGo]byte{}
	_ [C.TWIN_ROOT_SMALLEST]byte                 = [RootSmallest]byte{}
	_ [C.TWIN_ROOT_FINALIZER]byte                = [RootFinalizer]byte{}
	_ [C.TWIN_ROOT_CYCLE]byte                    = [RootCycle]byte{}
	_ [C.TWIN_ROOT_GARBAGE]byte                  = [RootGarbage]byte{}
	_ [unsafe.Sizeof(C.struct_twin_block{})]byte = [unsafe.Sizeof(Block{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_found{})]byte = [unsafe.Sizeof(Found{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_stack{})]byte = [unsafe.Sizeof(stackRange{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_file{})]byte  = [unsafe.Sizeof(fileRange{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_range{})]byte = [unsafe.Sizeof(account.Range{})]byte{}
	_ [C.TWIN_GO_ARENA]byte                      = [gospans.ArenaBytes]byte{}
)

// New maps room for what a twin is asked about, that many blocks, and for what it finds.
func New(a *Ask, blocks int) (*Shared, error) {
	const align = 64
	size, at := uintptr(0), [7]uintptr{}
	for i, n := range []uintptr{
		unsafe.Sizeof(C.struct_twin_task{}),
		uintptr(blocks) * unsafe.Sizeof(Block{}), uintptr(blocks) * unsafe.Sizeof(Found{}),
		uintptr(len(a.Apart)+1) * unsafe.Sizeof(account.Range{}), uintptr(a.StackRoom) * unsafe.Sizeof(stackRange{}),
		mostFiles * unsafe.Sizeof(fileRange{}), registerRoom(a) * unsafe.Sizeof(uint64(0)),
		uintptr(len(a.Variables)) * unsafe.Sizeof(account.Range{}),
	} {
		if i > 0 {
			at[i-1] = size
		}
		size += (n + align - 1) &^ (align - 1)
	}
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("no memory to share with a twin: %w", err)
	}
	w := &Shared{memory: memory, task: (*C.struct_twin_task)(unsafe.Pointer(&memory[0]))}
	w.Blocks = unsafe.Slice((*Block)(unsafe.Pointer(&memory[at[0]])), blocks)
	w.Found = unsafe.Slice((*Found)(unsafe.Pointer(&memory[at[1]])), blocks)
	own := unsafe.Slice((*account.Range)(unsafe.Pointer(&memory[at[2]])), len(a.Apart)+1)
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	k := 0
	for ; k < len(a.Apart) && a.Apart[k].Start < start; k++ {
		own[k] = a.Apart[k]
	}
	own[k] = account.Range{Start: start, Limit: start + uint64(size)}
	copy(own[k+1:], a.Apart[k:])
	*w.task = C.struct_twin_task{
		size: C.uint64_t(size), page: C.uint64_t(os.Getpagesize()), process: C.uint32_t(os.Getpid()),
		wants: wants(a), capabilities: C.uint64_t(C.getauxval(C.AT_HWCAP2)),
		blocks: C.uint64_t(at[0]), count: C.uint64_t(blocks), found: C.uint64_t(at[1]),
		apart: C.uint64_t(at[2]), aparts: C.uint64_t(len(own)), stacks: C.uint64_t(at[3]), stack_room: C.uint64_t(a.StackRoom),
		files: C.uint64_t(at[4]), file_room: mostFiles,
		registers: C.uint64_t(at[5]), register_room: C.uint64_t(registerRoom(a)),
		variables: C.uint64_t(at[6]), variable_count: C.uint64_t(len(a.Variables)),
		malloc: heaps(a.Malloc), _go: layout(a.Go),
	}
	copy(listOf[account.Range](w, w.task.variables, w.task.variable_count), a.Variables)
	return w, nil
}

func wants(a *Ask) (w C.uint32_t) {
	if a.Reach {
		w |= C.TWIN_REACH
	}
	if a.Pinned {
		w |= C.TWIN_PINNED
	}
	return w
}

// start makes the copy and returns its process ID. The copy waits for ready. It ends when the calling thread does, or the process.
func (w *Shared) start() (pid int, err error) {
	w.task.count = C.uint64_t(len(w.Blocks))
	if pid = int(C.twin_start(w.task)); pid < 0 {
		return 0, syscall.Errno(-pid)
	}
	return pid, nil
}

// mostFiles is how many mappings of files a twin can be told of.
const mostFiles = 1024

// mostElsewhere is how many words of stacks that are not their threads' own, and of epoll, a twin can be told of.
const mostElsewhere = 256 << 10

func registerRoom(a *Ask) uintptr { return uintptr(a.StackRoom*arguments + mostElsewhere) }

// moment is what Go knows of the instant. What there is no room for is left out.
type moment struct {
	Stacks    []stackRange // ascending
	Data      []fileRange  // of the loaded files, ascending: where words that are as in the file are constants
	Registers []uint64     // of threads that wait: what they have passed to system calls, and what stands on stacks that are not their own
	Epoll     []uint64     // what the kernel keeps for the program with the descriptors that it watches
}

// ready tells the copy what is known of its instant, and of its own files, and has it look.
func (w *Shared) ready(maps, pagemap, origin, memory *os.File, m moment) {
	w.task.stack_count = C.uint64_t(copy(listOf[stackRange](w, w.task.stacks, w.task.stack_room), m.Stacks))
	w.task.file_count = C.uint64_t(copy(listOf[fileRange](w, w.task.files, w.task.file_room), m.Data))
	words := listOf[uint64](w, w.task.registers, w.task.register_room)
	registers := copy(words, m.Registers)
	w.task.register_count, w.task.epoll_count = C.uint64_t(registers), C.uint64_t(copy(words[registers:], m.Epoll))
	w.task.maps, w.task.pagemap = C.int32_t(maps.Fd()), C.int32_t(pagemap.Fd())
	w.task.origin, w.task.memory = C.int32_t(origin.Fd()), C.int32_t(memory.Fd())
	atomic.StoreUint32((*uint32)(&w.task.ready), 1)
}

// report adds what a twin that has ended says. It returns an error if the twin did not come to its end.
func (w *Shared) report(r *Report) error {
	t := w.task
	r.Scanned, r.Own = uint64(t.scanned), uint64(t.own)
	r.PinnedBytes, r.PinnedRecorded = uint64(t.pinned.held), uint64(t.pinned.recorded)/C.TWIN_PINNED_UNIT
	r.UnknownHeaps, r.GoUnknown = int(t.unknown), t.go_unknown != 0
	switch phase := atomic.LoadUint32((*uint32)(&t.phase)); phase {
	case C.TWIN_DONE:
		return nil
	case C.TWIN_NO_MEMORY:
		return errors.New("there was no memory for it")
	case C.TWIN_NO_AREAS:
		return errors.New("the kernel's list of mappings or of pages could not be read")
	default:
		return fmt.Errorf("it ended %s", phases[phase])
	}
}

var phases = map[uint32]string{
	C.TWIN_BEGUN: "before it began", C.TWIN_CHUNKS: "while it read malloc's heaps", C.TWIN_ROOTS: "while it looked at the program's memory",
	C.TWIN_BLOCKS: "while it followed pointers in blocks", C.TWIN_PINS: "while it looked for free memory",
}

// size returns how many bytes both share.
func (w *Shared) size() int64 { return int64(len(w.memory)) }

// Free unmaps the memory that both share. The lists are gone then.
func (w *Shared) Free() error {
	w.Blocks, w.Found, w.task = nil, nil, nil
	return unix.Munmap(w.memory)
}

func listOf[T any](w *Shared, at, count C.uint64_t) []T {
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(w.task), at)), count)
}

// layout returns a layout of Go's memory as C has it, where the same fields come first.
func layout(l gospans.Layout) C.struct_twin_go {
	t := *(*C.struct_twin_go)(unsafe.Pointer(&l))
	t.readable, t.readable_arg = nil, nil
	return t
}

// heaps returns the places of glibc's heaps as C has them. Others that there is no room for are left out: a twin looks for the chunks behind
// them.
func heaps(h malloc.Heaps) (m C.struct_twin_malloc) {
	if h.Arena == 0 {
		return m
	}
	m.arena, m.page, m.key = C.uint64_t(h.Arena), C.uint64_t(os.Getpagesize()), key()
	m.mapped_blocks, m.mapped_bytes = C.uint64_t(h.MappedBlocks), C.uint64_t(h.MappedBytes)
	m.program = rangeOf(h.Program)
	for i, r := range h.Others[:min(len(h.Others), len(m.others))] {
		m.others[i] = rangeOf(r)
		m.others_count++
	}
	return m
}

// key returns what marks a block in a thread's cache in its second word; 0 if nothing does. It allocates a block by the real malloc, which
// must be glibc's, and frees it.
func key() C.uint64_t {
	allocate, free := cgo.RealPair()
	if allocate == nil {
		return 0
	}
	return C.twin_chunks_key(allocate, free)
}

func rangeOf(r account.Range) C.struct_twin_range {
	return C.struct_twin_range{start: C.uint64_t(r.Start), limit: C.uint64_t(r.Limit)}
}
