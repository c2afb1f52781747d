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

	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

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
