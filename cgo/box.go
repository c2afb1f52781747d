//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "box.h"
import "C"

// BoxState says what became of the file that the region lies in: whether pages had no room and are in memory only, and whether pages
// that had been written are gone. Then nothing is recorded any more, and what the region has is not right.
func BoxState() (full, lost bool) {
	s := C.box_state()
	return s == C.BOX_FULL, s == C.BOX_LOST
}
