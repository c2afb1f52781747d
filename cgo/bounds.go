//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "bounds.h"
import "C"

// BoundsWords has the positions of the two words with which libc keeps the bounds of a thread's stack.
// They lie in the thread's control block.
type BoundsWords struct {
	Thread uint64 // the address of the control block
	Words  uint64 // the address of the words
	End    bool   // they are the end and the size; otherwise the lowest address and the size
}

// BoundsWordsHere returns the bounds' words of the calling thread. False if they are unknown, or before a recording has begun.
func BoundsWordsHere() (BoundsWords, bool) {
	var w C.struct_bounds_words
	ok := bool(C.bounds_words(&w))
	return BoundsWords{uint64(w.thread), uint64(w.words), bool(w.end)}, ok
}
