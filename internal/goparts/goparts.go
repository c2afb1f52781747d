//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package goparts

// #cgo CFLAGS: -Wall -O2 -fno-omit-frame-pointer
// #include "probe.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/gospans"
	_ "github.com/cgoheap/cgoheap/internal/twin" // the C
)

// Part is a part of Go's memory that is in use.
type Part struct {
	Start, Limit uint64
	Stack        bool // of a goroutine, else of an object or several
}

// answer is what a copy of the process found in Go's memory.
type answer struct {
	parts  []Part
	known  bool // false: all of Go's memory must be read
	arenas int
	stacks []stack // of each address: the goroutine whose stack it lies in
}

type stack struct{ id, start, created, lo, hi, used, status uint64 }

const mostParts, mostAsked = 1 << 20, 16

// ask has a copy of the process read Go's memory, and look addresses up.
func ask(l gospans.Layout, addresses ...uint64) (a answer, err error) {
	const size = C.sizeof_struct_probe_twin + mostParts*C.sizeof_struct_probe_part
	shared, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		return a, err
	}
	defer func() { _ = unix.Munmap(shared) }()
	p := (*C.struct_probe_twin)(unsafe.Pointer(&shared[0]))
	p._go, p.room = *(*C.struct_twin_go)(unsafe.Pointer(&l)), mostParts // the same fields come first
	p._go.readable, p._go.readable_arg = nil, nil
	for _, address := range addresses[:min(len(addresses), mostAsked)] {
		p.stacks[p.asked].address = C.uint64_t(address)
		p.asked++
	}
	if status := C.probe_twin(p); status != 0 {
		return a, fmt.Errorf("the copy of the process ended with %d", status)
	}
	return answerOf(p)
}

func answerOf(p *C.struct_probe_twin) (a answer, err error) {
	if a.known = p.parts != 1<<64-1; a.known && p.parts > mostParts {
		return a, fmt.Errorf("there is no room for %d parts", p.parts)
	} else if a.known {
		first := (*C.struct_probe_part)(unsafe.Add(unsafe.Pointer(p), C.sizeof_struct_probe_twin))
		for _, part := range unsafe.Slice(first, p.parts) {
			a.parts = append(a.parts, Part{uint64(part.start), uint64(part.limit), part.root == C.TWIN_ROOT_GO_STACK})
		}
		a.arenas = int(p.arenas)
	}
	for i := range int(p.asked) {
		g := p.stacks[i].found
		a.stacks = append(a.stacks, stack{
			uint64(g.id), uint64(g.start), uint64(g.created), uint64(g.lo), uint64(g.hi), uint64(g.used), uint64(g.status),
		})
	}
	return a, nil
}

// Read returns the parts of Go's memory that are in use, in a copy of the process made now.
func Read() ([]Part, error) {
	l, err := gospans.Find()
	if err != nil {
		return nil, err
	}
	a, err := ask(l)
	if err == nil && !a.known {
		err = errors.New("a copy of the process did not understand Go's memory")
	}
	return a.parts, err
}
