package victim

// #include "victim.h"
import "C"

import (
	"fmt"
	"unsafe"
)

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
