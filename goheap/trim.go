package goheap

import (
	"runtime"
	"strings"
)

// hidesAtLeaf reports whether a function is not shown where it is innermost, or has only others like it below: how the
// runtime comes by a block says nothing about who wanted it. Further out its functions are shown, as what calls finalizers.
// The rule is that of writeHeapProto in Go's runtime/pprof/protomem.go. There the function is that of the return address,
// not of the call before it; so it is here, or stacks would differ where a call is the last thing in an inlined function.
func hidesAtLeaf(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && (strings.HasPrefix(f.Name(), "runtime.") || strings.HasPrefix(f.Name(), "internal/runtime/"))
}

// isGoexit is true of the address below a goroutine's first function, where it returns to. It is never shown.
func isGoexit(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Name() == "runtime.goexit"
}
