//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "labels.h"
// #include "probe.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/stack"
)

// goroutineLabels is the pointer to the labels of the goroutine that calls. The runtime promises name and signature to
// everyone who links to it (go.dev/issue/67401).
//
//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

// LabelGoroutines has samples labelled with what runtime/pprof.Do set. Where the runtime keeps that is not promised
// either, so it is looked for, and what read finds there, which is ReadLabels but in tests, is compared with what was set. An
// error says what was not recognised; there are then no such labels. After Probe, before Start.
func LabelGoroutines(read func() (entries []byte, ok bool)) error {
	if !Joined() {
		return errors.New("stacks do not go on into Go, so a goroutine cannot be told from them")
	}
	// In a goroutine of its own, whose labels are nobody else's.
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
		return errors.New("the runtime's g does not hold the labels in one place")
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

// ReadLabels reads the labels of the calling goroutine as a hook would: entries for Labels. False where they are not what
// they should be.
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
	SortLabels(want)
	var entries []byte
	var ok bool
	pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) { entries, ok = read() })
	if !ok {
		return errors.New("the runtime's labels of a goroutine could not be read")
	}
	if got := Labels(entries); !slices.Equal(got, want) {
		return fmt.Errorf("the labels %v of a goroutine were read as %v", want, got)
	}
	return nil
}
