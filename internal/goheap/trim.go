package goheap

import (
	"runtime"
	"strings"
)

// hidesAtLeaf reports whether a function is hidden at the leaf, alone or in a run of hidden functions: how the runtime
// allocates a block does not show the cause. Further out its functions are shown, for example those that call finalizers.
// The rule is the same as in writeHeapProto of Go's runtime/pprof/protomem.go. There the function is the return address's,
// not of the call before it; so it is here, or stacks would differ where a call is the last thing in an inlined function.
func hidesAtLeaf(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && (strings.HasPrefix(f.Name(), "runtime.") || strings.HasPrefix(f.Name(), "internal/runtime/"))
}

// isGoexit reports whether pc is the address that a goroutine's first function returns to. It is never shown.
func isGoexit(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Name() == "runtime.goexit"
}
