//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "threadlocal.h"
import "C"

// ThreadLocal is the thread-local storage that a thread has for one file.
type ThreadLocal struct {
	Bias   uint64 // of the file: runtime address − ELF address
	Module uint64 // the number by which each thread's vector (dtv) has it
	Start  uint64 // the calling thread's; 0 if it has none yet
	Size   uint64 // bytes
}

// ThreadHere is the calling thread at the time of a list.
type ThreadHere struct {
	Self    uint64 // the address of its control block
	Pointer uint64 // its thread pointer
	Keys    uint64 // where the values of the first KeysHere pthread keys lie in the control block, 16 bytes each; 0 if unknown
}

// KeysHere is how many keys' values glibc keeps in a control block.
const KeysHere = 32

// ThreadLocals returns the thread-local storage of the loaded files, as the calling thread has it.
func ThreadLocals() (list []ThreadLocal, here ThreadHere) {
	var h C.struct_threadlocal_here
	found := make([]C.struct_threadlocal, 64)
	for {
		count := int(C.threadlocal_list(&found[0], C.size_t(len(found)), &h))
		if count <= len(found) {
			found = found[:count]
			break
		}
		found = make([]C.struct_threadlocal, count+count/8)
	}
	for i := range found {
		f := &found[i]
		list = append(list, ThreadLocal{uint64(f.bias), uint64(f.module), uint64(f.start), uint64(f.size)})
	}
	return list, ThreadHere{uint64(h.self), uint64(h.pointer), uint64(h.keys)}
}
