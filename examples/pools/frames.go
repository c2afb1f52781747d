package main

/*
#include <stdlib.h>
*/
import "C"

import (
	"unsafe"

	"github.com/cgoheap/cgoheap"
)

const (
	frameBytes  = 8 << 10
	chunkFrames = 32
)

// frames are buffers of native memory, such as a video decoder fills. It is not safe for several goroutines.
type frames struct {
	free   []unsafe.Pointer
	chunks []unsafe.Pointer
}

func (f *frames) take() unsafe.Pointer {
	if len(f.free) == 0 {
		f.grow()
	}
	last := len(f.free) - 1
	frame := f.free[last]
	f.free = f.free[:last]
	cgoheap.Allocated(uintptr(frame), frameBytes, "frames")
	return frame
}

func (f *frames) giveBack(frame unsafe.Pointer) {
	cgoheap.Freed(uintptr(frame))
	f.free = append(f.free, frame)
}

// grow allocates a chunk. From then on, only frames that are taken count.
func (f *frames) grow() {
	chunk := C.malloc(chunkFrames * frameBytes)
	cgoheap.Pool(uintptr(chunk))
	f.chunks = append(f.chunks, chunk)
	for i := range chunkFrames {
		f.free = append(f.free, unsafe.Add(chunk, i*frameBytes))
	}
}

// close frees all chunks. Frames that were not freed are gone with them, and the profiler has to know.
func (f *frames) close(taken []unsafe.Pointer) {
	for _, frame := range taken {
		f.giveBack(frame)
	}
	for _, chunk := range f.chunks {
		C.free(chunk)
	}
}
