package main

// #include "maps.h"
import "C"

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/cgoheap/cgoheap/alloc"
)

// A mapped range, and the call that made it.
type mappedBy struct {
	call          int
	name          string
	p             unsafe.Pointer
	start, length uintptr
}

const mapPage = 4096

// maps maps memory by each call, but for those that fail here by their names in the arguments, and then compares what a recording of its own knows with that: each range, to the byte, with a stack
// that reaches this function. It does not ask the kernel, which does not tell every host, or tells of the emulator; but see m.faults.
func maps(arguments []string) (faults []string) {
	r, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: 64, TableBytes: 16 << 20})
	if err != nil {
		return []string{err.Error()}
	}
	made, faults := mapAll(arguments)
	list, err := r.Mappings(func() error { return nil })
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, m := range made {
		faults = append(faults, m.faults(list, false)...)
		if C.core_unmap(C.int(m.call), m.p, C.size_t(m.length)) != 0 {
			faults = append(faults, m.name+" cannot be undone")
		}
	}
	if list, err = r.Mappings(func() error { return nil }); err != nil {
		faults = append(faults, err.Error())
	}
	for _, m := range made {
		faults = append(faults, m.faults(list, true)...)
	}
	return append(faults, stopped(r)...)
}

func stopped(r *alloc.Recording) []string {
	if err := r.Stop(); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// mapAll maps a range of its own length by each call.
//
//go:noinline
func mapAll(arguments []string) (made []mappedBy, faults []string) {
	for call := 0; C.core_map_name(C.int(call)) != nil; call++ {
		m := mappedBy{call: call, name: C.GoString(C.core_map_name(C.int(call))), length: uintptr(3+call) * mapPage}
		m.p = C.core_map(C.int(call), C.size_t(m.length))
		m.start = uintptr(m.p)
		if m.p != nil {
			made = append(made, m)
		} else if !slices.Contains(arguments, m.name) {
			faults = append(faults, m.name+" failed")
		}
	}
	return made, faults
}

// faults compares the range with what is recorded at its addresses.
func (m mappedBy) faults(list []alloc.Mapping, gone bool) (faults []string) {
	var known uintptr
	for _, r := range list {
		start, limit := max(m.start, uintptr(r.Start)), min(m.start+m.length, uintptr(r.Limit))
		if start >= limit {
			continue
		}
		text := frames(r)
		ours := strings.Contains(text, reflect.TypeFor[mappedBy]().PkgPath()+".mapAll\n")
		if gone && !ours { // somebody else's by now
			continue
		}
		known += limit - start
		if !ours {
			faults = append(faults, fmt.Sprintf("a stack of %s does not reach Go:\n%s", m.name, text))
		}
	}
	want := m.length
	if _, err := os.ReadFile("/proc/self/maps"); m.name == "core_shmat" && err != nil {
		want = mapPage // only the kernel's list has the size of a segment
	}
	if gone {
		want = 0
	}
	if known != want {
		faults = append(faults, fmt.Sprintf("%d bytes of %s are recorded, want %d", known, m.name, want))
	}
	return faults
}

// frames are the stack's Go functions, which have names in every build.
func frames(m alloc.Mapping) string {
	text := ""
	for _, frame := range m.Frames {
		if f := runtime.FuncForPC(uintptr(frame.Address())); f != nil {
			text += f.Name() + "\n"
		}
	}
	return text
}
