//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "probe.h"
import "C"

import (
	"fmt"
	"github.com/cgoheap/cgoheap/internal/layout"
	"runtime"
	"strings"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/stack"
)

// The walk from C into Go depends on how the runtime lays out a call to C. No document promises that, so each start tries
// the walk on a known call and on a callback, and stacks do not continue into Go if the results are wrong.

// Probe finds the code of the runtime that a walk crosses, and verifies the crossing. An error describes what was not
// recognised; stacks then end at the call from Go. An index must be published.
func Probe() error {
	return apart("the probe of a known call", probe) // where the stack is short, however deep the caller's is
}

// apart runs do in a separate goroutine. A panic of do becomes an error.
func apart(name string, do func() error) (err error) {
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if caught := background.Guard(name, func() { err = do() }); caught != nil {
			err = caught
		}
	}()
	<-finished
	return err
}

func probe() error {
	C.cgoheap_go = C.struct_go_layout{own: C.struct_go_code{text: textRange(), crosscall2: crosscall2Range()}}
	if findCalls(); C.cgoheap_go.own.asmcgocall.hi == 0 {
		findCopies(&C.cgoheap_go.own)
	}
	if C.cgoheap_go.own.asmcgocall.hi == 0 {
		return fmt.Errorf("the walk of a known call did not meet runtime.asmcgocall")
	}
	C.cgoheap_go.joined = true
	findM()
	if err := verify(); err != nil {
		C.cgoheap_go.joined = false
		return err
	}
	return nil
}

// findCalls walks a call by frame pointers alone, to find the function that calls C.
func findCalls() {
	var walked C.struct_probe
	C.probe_call(&walked)
	for _, f := range frames(&walked) {
		if name(f) == "runtime.asmcgocall" && inOwn(f) {
			C.cgoheap_go.own.asmcgocall = funcRange(uintptr(f.Address()))
			C.cgoheap_go.own.mstart = neighbour(C.cgoheap_go.own.asmcgocall, "runtime.mstart")
		}
	}
}

// inOwn reports whether f is in the program's own code. If a plugin runs this, the caller is the plugin.
func inOwn(f stack.Frame) bool {
	text := C.cgoheap_go.own.text
	return uint64(text.lo) <= f.Address() && f.Address() < uint64(text.hi)
}

// findM finds the offset of the m in a g, which a walk needs to verify a g. If it is not found, walks copy the words of
// goroutines that they read, which is slower.
func findM() {
	var walked C.struct_probe
	C.probe_call(&walked)
	if walked.goroutine != 0 {
		C.cgoheap_go.m_offset = C.probe_m_offset(walked.goroutine)
	}
}

func verify() error {
	var call, callback C.struct_probe
	C.probe_call(&call)
	if err := expect(&call, "runtime.asmcgocall", "runtime.cgocall", "cgo.verify", "cgo.probe"); err != nil {
		return fmt.Errorf("a known call: %w", err)
	}
	C.probe_callback(&callback)
	err := expect(&callback, "runtime.asmcgocall", "runtime.cgocall", "cgo.cgoheapProbeCallback",
		"runtime.cgocallback", "crosscall2", "", "runtime.asmcgocall", "runtime.cgocall", "cgo.verify", "cgo.probe")
	if err != nil {
		return fmt.Errorf("a known callback: %w", err)
	}
	return nil
}

//export cgoheapProbeCallback
func cgoheapProbeCallback(walked *C.struct_probe) { C.probe_call(walked) }

// expect returns an error unless the walk is complete and has functions whose names end in names, in this order, perhaps
// with others between them; "" stands for code that is not Go.
func expect(walked *C.struct_probe, names ...string) error {
	if walked.end != C.END_ROOT {
		return fmt.Errorf("the walk ended early: %s", layout.Counters[C.COUNT_END+walked.end].Sentence)
	}
	for _, f := range frames(walked) {
		if len(names) > 0 && matches(name(f), names[0]) {
			names = names[1:]
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("the walk lacks %s", names[0])
	}
	return nil
}

func matches(name, want string) bool {
	return name == want || want != "" && strings.HasSuffix(name, want)
}

func frames(walked *C.struct_probe) []stack.Frame {
	var list []stack.Frame
	for _, f := range walked.frames[:walked.depth] {
		list = append(list, stack.Frame(f))
	}
	return list
}

// name returns the name of the Go function at f; "" for other code.
func name(f stack.Frame) string {
	if fn := runtime.FuncForPC(uintptr(f.Address())); fn != nil {
		return fn.Name()
	}
	return ""
}

// joined reports whether stacks continue from C into Go.
func joined() bool { return bool(C.cgoheap_go.joined) }
