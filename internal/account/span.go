//go:build !go1.28

package account

import _ "unsafe" // for go:linkname

// notInHeap is a function of the runtime that is left open to package reflect. It looks an address up, any address, in the
// table of spans, and is false if there is one.
//
//go:linkname notInHeap reflect.verifyNotInHeapPtr
func notInHeap(p uintptr) bool

func inSpan(p uintptr) bool { return !notInHeap(p) }
