//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "labels.h"
// #include "probe.h"
// #include "walk.h"
//
// extern void crosscall2(void (*)(void *), void *, int, size_t);
// static inline uintptr_t crosscall2_address(void) { return (uintptr_t)crosscall2; }
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// The walk from C into Go depends on how the runtime lays out a call to C. No document promises that, so each start tries
// the walk on a known call and on a callback, and stacks do not continue into Go if the results are wrong.

// GoCode is the Go code of a module, with its copies of the functions that a walk must know.
type GoCode = C.struct_go_code

func newGoCode(text codeRange, module uint16) GoCode {
	return GoCode{text: text, module: C.uint64_t(module)}
}

// codeRange is where code lies, from lo to before hi.
type codeRange = C.struct_code

func newCodeRange(lo, hi uintptr) codeRange { return codeRange{lo: C.uint64_t(lo), hi: C.uint64_t(hi)} }

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
	C.cgoheap_go = C.struct_go_layout{own: GoCode{text: textRange(), crosscall2: funcRange(uintptr(C.crosscall2_address()))}}
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

// goroutineLabels returns the pointer to the labels of the calling goroutine. The runtime promises name and signature to
// everyone who links to it (go.dev/issue/67401).
//
//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

// LabelGoroutines adds the labels of runtime/pprof.Do to samples. The runtime does not promise where it keeps them, so it
// looks for them, and compares what read finds (ReadLabels, except in tests) with labels that it set. An error describes
// what was not recognised; there are then no such labels. Call it after Probe, before Start.
func LabelGoroutines(read func() (entries []byte, ok bool)) error {
	if !joined() {
		return errors.New("stacks do not continue into Go, so they do not show the goroutine")
	}
	// In a separate goroutine, whose labels nobody else uses.
	err := apart("the look for labels", func() error { return findLabels(read) })
	if err != nil {
		C.cgoheap_labels.goroutine_offset = 0
	}
	return err
}

func findLabels(read func() ([]byte, bool)) error {
	first := labelOffset("cgoheap", "first", "probe", "")
	second := labelOffset("cgoheap", "second")
	if first == 0 || first != second {
		return errors.New("the runtime's g does not hold the labels at one offset")
	}
	C.cgoheap_labels.goroutine_offset = first
	return errors.Join(verifyLabels(read), verifyLabels(read, "key", "text"),
		verifyLabels(read, "b", "", "a", "two words, and more", "c", "\x00"))
}

func labelOffset(labels ...string) (offset C.uint32_t) {
	pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) {
		var walked C.struct_probe
		C.probe_call(&walked)
		offset = C.labels_find(walked.goroutine, C.uintptr_t(uintptr(goroutineLabels())))
	})
	return offset
}

// ReadLabels reads the labels of the calling goroutine as a hook would: entries for Labels. ok is false if they are not as
// expected.
func ReadLabels() (entries []byte, ok bool) {
	entries = make([]byte, C.LABELS_BYTES)
	size := C.probe_labels((*C.char)(unsafe.Pointer(&entries[0])))
	if size == C.LABELS_NONE {
		return nil, false
	}
	return entries[:size], true
}

func verifyLabels(read func() ([]byte, bool), labels ...string) error {
	var want []stack.Label
	for i := 0; i < len(labels); i += 2 {
		want = append(want, stack.Label{Key: labels[i], Text: labels[i+1]})
	}
	tables.SortLabels(want)
	var entries []byte
	var ok bool
	pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) { entries, ok = read() })
	if !ok {
		return errors.New("the runtime's labels of a goroutine could not be read")
	}
	if got := tables.Labels(entries); !slices.Equal(got, want) {
		return fmt.Errorf("the labels %v of a goroutine were read as %v", want, got)
	}
	return nil
}
