//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Command held LIBRARY SHARED [go] takes the addresses of its own variables, of those of a library that it opens, and of other
// memory, and prints what each is called: a word for what it is, its address in its file if it lies in one, its name, which
// word of it, and its root. With a third argument it is known where Go's variables lie.
package main

/*
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
#include "held.h"
*/
import "C"

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

var pointers [100]unsafe.Pointer

// list is what is to be named.
type list struct {
	keys  []string
	found []holders.Found
}

func (l *list) add(key string, f holders.Found) {
	if f.Holder == 0 {
		f.Holder = f.RootWord
	}
	l.keys, l.found = append(l.keys, key), append(l.found, f)
}

func (l *list) data(key string, at unsafe.Pointer) {
	l.add(key, holders.Found{Root: holders.Data, RootWord: uint64(uintptr(at))})
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(library, shared string) error {
	r, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: 64, TableBytes: 64 << 20})
	if err != nil {
		return err
	}
	defer r.Stop()
	var l list
	lib := addLibrary(&l, library)
	if lib == nil {
		return fmt.Errorf("%s cannot be opened", library)
	}
	addData(&l)
	addThreads(&l, lib)
	if err := addMapped(&l, shared); err != nil {
		return err
	}
	queue, registry := C.queue_push(54321), C.registry_grow(65432)
	defer func() { runtime.KeepAlive([]any{queue, registry}) }()
	return l.print(r)
}

func addData(l *list) {
	C.find_variables()
	for i, key := range []string{"sessions", "sessions+2400", "held_cache", "server", "server+16", "local", "hidden", "names", "made"} {
		l.data(key, C.variables[i])
	}
	l.data("pointers", unsafe.Pointer(&pointers[0]))
	l.data("pointers+80", unsafe.Pointer(&pointers[10]))
}

func addLibrary(l *list, path string) unsafe.Pointer {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	lib := C.open_library(name)
	if lib == nil {
		return nil
	}
	for i, key := range []string{"library entries", "library entries+8000", "library hidden+8", "library once", "library recent", "library mine"} {
		l.data(key, C.from_library(lib, C.int(i)))
	}
	for i := 100; i < 200; i++ {
		l.data("library array", C.from_library(lib, C.int(i)))
	}
	return lib
}

func addThreads(l *list, lib unsafe.Pointer) {
	for i := range 3 {
		w := (*C.struct_worker)(C.calloc(1, C.sizeof_struct_worker))
		name := fmt.Sprintf("worker-%d", i)
		if i == 2 {
			name = "x\n\xff\x1b[31m"
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&w.name)), 15), name)
		if C.start_worker(w, lib) != 0 {
			panic("no thread")
		}
		at := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
		l.add(fmt.Sprint("stack ", i), holders.Found{Root: holders.Stack, RootWord: at(w.on_stack)})
		l.add(fmt.Sprint("current ", i), holders.Found{Root: holders.Storage, RootWord: at(w.thread_local_one)})
		l.add(fmt.Sprint("recent ", i), holders.Found{Root: holders.Stack, RootWord: at(w.thread_local_array)})
		l.add(fmt.Sprint("recent of library ", i), holders.Found{Root: holders.Data, RootWord: 8, Holder: at(w.of_library)})
		l.add(fmt.Sprintf("key %d", w.key), holders.Found{Root: holders.Stack, RootWord: at(w.key_value)})
		l.add(fmt.Sprint("control ", i), holders.Found{Root: holders.Stack, RootWord: uint64(w.control) + 64})
	}
	runtime.LockOSThread()
	own := C.own_thread_local()
	l.add("current of main", holders.Found{Root: holders.Storage, RootWord: uint64(uintptr(own))})
}

func addMapped(l *list, shared string) error {
	l.add("arena", holders.Found{Root: holders.Mapping, RootWord: uint64(uintptr(C.arena_new(1<<20))) + 4096})
	f, err := os.OpenFile(shared, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(1 << 16); err != nil {
		return err
	}
	file, err := unix.Mmap(int(f.Fd()), 0, 1<<16, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	anonymous, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return err
	}
	unseen, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON) // not by libc's mmap
	if err != nil {
		return err
	}
	if err := unix.Mprotect(unseen[1<<12:1<<13], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	l.add("unseen", holders.Found{Root: holders.Mapping, RootWord: uint64(uintptr(unsafe.Pointer(&unseen[1<<12])))})
	l.add("file", holders.Found{Root: holders.Mapping, RootWord: uint64(uintptr(unsafe.Pointer(&file[8])))})
	l.add("anonymous", holders.Found{Root: holders.Mapping, RootWord: uint64(uintptr(unsafe.Pointer(&anonymous[8])))})
	entry := uint64(reflect.ValueOf((*list).loop).Pointer())
	l.add("goroutine", holders.Found{Root: holders.GoStack, RootWord: 4096, Entry: entry})
	l.add("goroutine without function", holders.Found{Root: holders.GoStack, RootWord: 4096})
	l.add("heap", holders.Found{Root: holders.GoHeap, RootWord: 4096})
	l.add("through Go", holders.Found{Root: holders.Data, InGo: true, RootWord: uint64(uintptr(unsafe.Pointer(&pointers[1])))})
	l.add("finalizer", holders.Found{Root: holders.Finalizer, InGo: true, RootWord: entry})
	l.add("register", holders.Found{Root: holders.Registers, Thread: os.Getpid()})
	l.add("nothing", holders.Found{})
	l.add("young", holders.Found{NotLooked: true})
	l.add("main's stack", holders.Found{Root: holders.Stack, RootWord: mainStack()})
	l.add("nowhere", holders.Found{Root: holders.Data, RootWord: 16})
	return nil
}

// loop is a function that a goroutine may begin with.
func (l *list) loop() {}

// mainStack returns an address in the stack that the kernel made.
func mainStack() uint64 {
	text, _ := os.ReadFile("/proc/self/stat")
	var startstack uint64
	_, _ = fmt.Sscan(field(string(text), 28), &startstack)
	return startstack - 64
}

// field returns a field of /proc/self/stat, from 3 on.
func field(text string, n int) string {
	at := len(text) - 1
	for text[at] != ')' {
		at--
	}
	return strings.Fields(text[at+1:])[n-3]
}

// print names everything, with the blocks of two sizes as holders of more.
func (l *list) print(r *alloc.Recording) error {
	snapshot, err := r.Snapshot()
	if err != nil {
		return err
	}
	first := len(l.found)
	for range snapshot.Samples {
		l.data("", unsafe.Pointer(&pointers[0]))
	}
	for i := range snapshot.Samples {
		if size := snapshot.Samples[i].BlockSize; size == 54321 || size == 65432 {
			root := uint64(uintptr(C.variables[0]))
			l.add(fmt.Sprint("block ", size), holders.Found{Root: holders.Data, RootWord: root, Holder: 24, Through: uint32(first + i + 1)})
		}
	}
	return l.write(r, snapshot, first)
}

func (l *list) write(r *alloc.Recording, snapshot *alloc.Snapshot, first int) error {
	mapped, err := r.Mappings(func() error { return nil })
	if err != nil {
		return err
	}
	var goData []account.Range
	if start := uint64(uintptr(unsafe.Pointer(&pointers))); len(os.Args) > 3 {
		goData = []account.Range{{Start: start, Limit: start + uint64(unsafe.Sizeof(pointers))}}
	}
	p := &holders.Process{
		Kernel: usage.Running, Modules: r.Present(), Main: snapshot.Main, Names: symbolize.New(symbolize.Options{}), Threads: r.Threads(),
		Mapped: mapped, GoData: goData, Module: snapshot.Module,
	}
	var memory scratch.Memory
	defer memory.Free()
	named := holders.Name(p, &holders.Blocks{
		Count: len(l.found), Found: func(i int) holders.Found { return l.found[i] }, Bytes: func(int) uint64 { return 1 },
		Stack:  func(i int) uint32 { return uint32(i) },
		Frames: func(i uint32) []stack.Frame { return snapshot.Samples[int(i)-first].Frames },
	}, &memory)
	for i, key := range l.keys {
		if key == "" {
			continue
		}
		h := named.Holders[named.Of[i]]
		fmt.Printf("%s\t%#x\t%s\t%s\t%s\n", key, inFile(p.Modules, l.found[i].Holder), h.Name, h.Detail, h.Root)
	}
	return nil
}

// inFile returns an address's position in its file, by the kernel's mappings of the file's code alone.
func inFile(modules []*mappings.Module, at uint64) uint64 {
	for _, m := range modules {
		for _, r := range m.Loaded() {
			if uint64(r.Start) <= at && at < uint64(r.Limit) {
				return at - m.Bias
			}
		}
	}
	return 0
}
