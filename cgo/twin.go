//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "allocators.h"
// #include "twin.h"
// #include "twin_chunks.h"
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

	"github.com/cgoheap/cgoheap/internal/gospans"
)

// Twin is a copy of the process that reads itself: see twin.h. Its lists lie in memory that both share.
type Twin struct {
	Blocks []TwinBlock // recorded blocks in use, ascending, to be filled in before Start
	Found  []TwinFound // of each, once it is done

	memory []byte
	task   *C.struct_twin_task
}

// TwinBlock is struct twin_block.
type TwinBlock struct{ At, Size uint64 }

// TwinStack is struct twin_stack.
type TwinStack struct{ Start, Limit, From uint64 }

// TwinRange is struct twin_range.
type TwinRange struct{ Start, Limit uint64 }

// TwinFile is struct twin_file.
type TwinFile struct {
	Start, Limit, Offset uint64
	File                 int32 // descriptor
}

// TwinOnGoroutine as TwinStack.From says that the thread is on a goroutine's stack.
const TwinOnGoroutine = C.TWIN_ON_GOROUTINE

// The kinds of roots.
const (
	TwinRootData    = TwinRoot(C.TWIN_ROOT_DATA)
	TwinRootStack   = TwinRoot(C.TWIN_ROOT_STACK)
	TwinRootGoHeap  = TwinRoot(C.TWIN_ROOT_GO_HEAP)
	TwinRootGoStack = TwinRoot(C.TWIN_ROOT_GO_STACK)
	TwinRootMapping = TwinRoot(C.TWIN_ROOT_MAPPING)
	TwinRootEpoll   = TwinRoot(C.TWIN_ROOT_EPOLL)
)

// Both languages have the same structures.
var (
	_ [C.TWIN_ROOT_UNKNOWN]byte                  = [TwinRootUnknown]byte{}
	_ [C.TWIN_ROOT_IN_GO]byte                    = [TwinRootInGo]byte{}
	_ [C.TWIN_ROOT_SMALLEST]byte                 = [TwinRootSmallest]byte{}
	_ [C.TWIN_ROOT_FINALIZER]byte                = [TwinRootFinalizer]byte{}
	_ [C.TWIN_ROOT_CYCLE]byte                    = [TwinRootCycle]byte{}
	_ [C.TWIN_ROOT_GARBAGE]byte                  = [TwinRootGarbage]byte{}
	_ [unsafe.Sizeof(C.struct_twin_block{})]byte = [unsafe.Sizeof(TwinBlock{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_found{})]byte = [unsafe.Sizeof(TwinFound{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_stack{})]byte = [unsafe.Sizeof(TwinStack{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_file{})]byte  = [unsafe.Sizeof(TwinFile{})]byte{}
	_ [unsafe.Sizeof(C.struct_twin_range{})]byte = [unsafe.Sizeof(TwinRange{})]byte{}
)

// TwinTask is what a twin has to do.
type TwinTask struct {
	Reach, Pinned bool        // what is wanted: what points to each block, and what each pins
	Apart         []TwinRange // memory that holds nothing, ascending
	Variables     []TwinRange // of the program's Go code, ascending: the twin follows them to name what keeps Go's objects; none: it names nothing
	StackRoom     int         // how many stacks there will be at most
	Malloc        TwinMalloc
	Go            gospans.Layout
}

// NewTwin maps the memory that a process and its twin share, with lists for that many blocks.
func NewTwin(t *TwinTask, blocks int) (*Twin, error) {
	const align = 64
	size, at := uintptr(0), [7]uintptr{}
	for i, n := range []uintptr{
		unsafe.Sizeof(C.struct_twin_task{}),
		uintptr(blocks) * unsafe.Sizeof(TwinBlock{}), uintptr(blocks) * unsafe.Sizeof(TwinFound{}),
		uintptr(len(t.Apart)+1) * unsafe.Sizeof(TwinRange{}), uintptr(t.StackRoom) * unsafe.Sizeof(TwinStack{}),
		mostFiles * unsafe.Sizeof(TwinFile{}), registerRoom(t) * unsafe.Sizeof(uint64(0)),
		uintptr(len(t.Variables)) * unsafe.Sizeof(TwinRange{}),
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
	w := &Twin{memory: memory, task: (*C.struct_twin_task)(unsafe.Pointer(&memory[0]))}
	w.Blocks = unsafe.Slice((*TwinBlock)(unsafe.Pointer(&memory[at[0]])), blocks)
	w.Found = unsafe.Slice((*TwinFound)(unsafe.Pointer(&memory[at[1]])), blocks)
	own := unsafe.Slice((*TwinRange)(unsafe.Pointer(&memory[at[2]])), len(t.Apart)+1)
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	k := 0
	for ; k < len(t.Apart) && t.Apart[k].Start < start; k++ {
		own[k] = t.Apart[k]
	}
	own[k] = TwinRange{start, start + uint64(size)}
	copy(own[k+1:], t.Apart[k:])
	*w.task = C.struct_twin_task{
		size: C.uint64_t(size), page: C.uint64_t(os.Getpagesize()), process: C.uint32_t(os.Getpid()),
		wants: wants(t), capabilities: C.uint64_t(C.getauxval(C.AT_HWCAP2)),
		blocks: C.uint64_t(at[0]), count: C.uint64_t(blocks), found: C.uint64_t(at[1]),
		apart: C.uint64_t(at[2]), aparts: C.uint64_t(len(own)), stacks: C.uint64_t(at[3]), stack_room: C.uint64_t(t.StackRoom),
		files: C.uint64_t(at[4]), file_room: mostFiles,
		registers: C.uint64_t(at[5]), register_room: C.uint64_t(registerRoom(t)),
		variables: C.uint64_t(at[6]), variable_count: C.uint64_t(len(t.Variables)),
		_go: twinGo(t.Go),
	}
	copy(listOf[TwinRange](w, w.task.variables, w.task.variable_count), t.Variables)
	w.task.malloc = t.Malloc.c
	return w, nil
}

func wants(t *TwinTask) (w C.uint32_t) {
	if t.Reach {
		w |= C.TWIN_REACH
	}
	if t.Pinned {
		w |= C.TWIN_PINNED
	}
	return w
}

// Start makes the copy and returns its process ID. The copy waits for Ready. It ends when the calling thread does, or the process.
func (w *Twin) Start() (pid int, err error) {
	w.task.count = C.uint64_t(len(w.Blocks))
	if pid = int(C.twin_start(w.task)); pid < 0 {
		return 0, syscall.Errno(-pid)
	}
	return pid, nil
}

// mostFiles is how many mappings of files a twin can be told of.
const mostFiles = 1024

// arguments is how many a system call has at most.
const arguments = 6

// mostElsewhere is how many words of stacks that are not their threads' own, and of epoll, a twin can be told of.
const mostElsewhere = 256 << 10

func registerRoom(t *TwinTask) uintptr { return uintptr(t.StackRoom*arguments + mostElsewhere) }

// TwinMoment is what Go knows of the instant. Of what there is no room for, nothing is told.
type TwinMoment struct {
	Stacks    []TwinStack // ascending
	Data      []TwinFile  // of the loaded files, ascending: where words that are as in the file are constants
	Registers []uint64    // of threads that wait: what they have passed to system calls, and what stands on stacks that are not their own
	Epoll     []uint64    // what the kernel keeps for the program with the descriptors that it watches
}

// Ready tells the copy what is known of its instant, and of its own files, and has it look.
func (w *Twin) Ready(maps, pagemap, origin, memory *os.File, m TwinMoment) {
	w.task.stack_count = C.uint64_t(copy(listOf[TwinStack](w, w.task.stacks, w.task.stack_room), m.Stacks))
	w.task.file_count = C.uint64_t(copy(listOf[TwinFile](w, w.task.files, w.task.file_room), m.Data))
	words := listOf[uint64](w, w.task.registers, w.task.register_room)
	registers := copy(words, m.Registers)
	w.task.register_count, w.task.epoll_count = C.uint64_t(registers), C.uint64_t(copy(words[registers:], m.Epoll))
	w.task.maps, w.task.pagemap = C.int32_t(maps.Fd()), C.int32_t(pagemap.Fd())
	w.task.origin, w.task.memory = C.int32_t(origin.Fd()), C.int32_t(memory.Fd())
	atomic.StoreUint32((*uint32)(&w.task.ready), 1)
}

// Report returns what a twin that has ended says, and an error if it did not come to its end.
func (w *Twin) Report() (TwinReport, error) {
	t := w.task
	r := TwinReport{
		Scanned: uint64(t.scanned), Own: uint64(t.own), Chunks: uint64(t.chunks), Followed: uint64(t.followed),
		PinnedBytes: uint64(t.pinned.held), PinnedRecorded: uint64(t.pinned.recorded) / C.TWIN_PINNED_UNIT,
		UnknownHeaps: int(t.unknown), GoUnknown: t.go_unknown != 0,
	}
	switch phase := atomic.LoadUint32((*uint32)(&t.phase)); phase {
	case C.TWIN_DONE:
		return r, nil
	case C.TWIN_NO_MEMORY:
		return r, errors.New("there was no memory for it")
	case C.TWIN_NO_AREAS:
		return r, errors.New("the kernel's list of mappings or of pages could not be read")
	default:
		return r, fmt.Errorf("it ended %s", twinPhases[phase])
	}
}

var twinPhases = map[uint32]string{
	C.TWIN_BEGUN: "before it began", C.TWIN_CHUNKS: "while it read malloc's heaps", C.TWIN_ROOTS: "while it looked at the program's memory",
	C.TWIN_BLOCKS: "while it followed pointers in blocks", C.TWIN_PINS: "while it looked for free memory",
}

// Size returns how many bytes both share.
func (w *Twin) Size() int64 { return int64(len(w.memory)) }

// Free unmaps the memory that both share. The lists are gone then.
func (w *Twin) Free() error {
	w.Blocks, w.Found, w.task = nil, nil, nil
	return unix.Munmap(w.memory)
}

func listOf[T any](w *Twin, at, count C.uint64_t) []T {
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(w.task), at)), count)
}

// Both sides divide Go's memory in the same way.
var _ [C.TWIN_GO_ARENA]byte = [gospans.ArenaBytes]byte{}

// twinGo returns a layout as C has it.
func twinGo(l gospans.Layout) (t C.struct_twin_go) {
	u32 := func(n uint32) C.uint32_t { return C.uint32_t(n) }
	t.arenas, t.bias = C.uint64_t(l.Arenas), C.uint64_t(l.Bias)
	t.lists, t.goroutines, t.processors = C.uint64_t(l.Lists), C.uint64_t(l.Goroutines), C.uint64_t(l.Processors)
	s := l.Span
	t.span.start, t.span.pages, t.span.free_index, t.span.objects = u32(s.Start), u32(s.Pages), u32(s.FreeIndex), u32(s.Objects)
	t.span.bits, t.span.count, t.span.state, t.span.size = u32(s.Bits), u32(s.Count), u32(s.State), u32(s.Size)
	t.span.class, t.span.specials = u32(s.Class), u32(s.Specials)
	t.special.finalizer, t.special.cleanup, t.special.function = u32(l.Special.Finalizer), u32(l.Special.Cleanup), u32(l.Special.Function)
	g := l.G
	t.g.sp, t.g.status, t.g.id, t.g.created, t.g.start = u32(g.SP), u32(g.Status), u32(g.ID), u32(g.Created), u32(g.Start)
	return t
}

// TwinHeaps is what is known of glibc's heaps before a twin is made. Addresses are those of the process.
type TwinHeaps struct {
	Arena                     uint64      // struct malloc_state of the first arena
	Page                      uint64      // bytes of a page
	MappedBlocks, MappedBytes uint64      // addresses of the number of blocks that are mapped one by one, and of their sum; 0: unknown
	Program                   [2]uint64   // start and limit of the data segment
	Others                    [][2]uint64 // what of that is not malloc's, ascending
}

// TwinMalloc says where glibc has its heaps: struct twin_malloc. The zero value: nowhere.
type TwinMalloc struct{ c C.struct_twin_malloc }

// NewTwinMalloc adds what marks blocks in threads' caches, for which it allocates and frees one by the real malloc, which must be
// glibc's. Others that there is no room for are left out: a twin looks for the chunks behind them.
func NewTwinMalloc(h TwinHeaps) TwinMalloc {
	var m TwinMalloc
	m.c = C.struct_twin_malloc{
		arena: C.uint64_t(h.Arena), page: C.uint64_t(h.Page), key: twinKey(),
		mapped_blocks: C.uint64_t(h.MappedBlocks), mapped_bytes: C.uint64_t(h.MappedBytes),
		program: twinRange(h.Program),
	}
	for i, r := range h.Others[:min(len(h.Others), len(m.c.others))] {
		m.c.others[i] = twinRange(r)
		m.c.others_count++
	}
	return m
}

// Key returns what marks a block in a thread's cache in its second word; 0 if nothing does.
func (m *TwinMalloc) Key() uint64 { return uint64(m.c.key) }

func twinKey() C.uint64_t {
	var f C.struct_real_pair
	if !C.allocators_pair(&f) {
		return 0
	}
	return C.twin_chunks_key(f.malloc, f.free)
}

func twinRange(r [2]uint64) C.struct_twin_range {
	return C.struct_twin_range{start: C.uint64_t(r[0]), limit: C.uint64_t(r[1])}
}
