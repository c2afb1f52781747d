//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "probe_twin.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/gospans"
)

// Both sides divide Go's memory in the same way.
var (
	_ [C.TWIN_GO_ARENA]byte = [gospans.ArenaBytes]byte{}
	_                       = twinGo
)

// twinGo returns a layout as C has it.
func twinGo(l gospans.Layout) (t C.struct_twin_go) {
	u32 := func(n uint32) C.uint32_t { return C.uint32_t(n) }
	t.arenas, t.bias = C.uint64_t(l.Arenas), C.uint64_t(l.Bias)
	t.lists, t.goroutines = C.uint64_t(l.Lists), C.uint64_t(l.Goroutines)
	s := l.Span
	t.span.start, t.span.pages, t.span.free_index, t.span.objects = u32(s.Start), u32(s.Pages), u32(s.FreeIndex), u32(s.Objects)
	t.span.bits, t.span.count, t.span.state, t.span.size = u32(s.Bits), u32(s.Count), u32(s.State), u32(s.Size)
	g := l.G
	t.g.sp, t.g.status, t.g.id, t.g.created, t.g.start = u32(g.SP), u32(g.Status), u32(g.ID), u32(g.Created), u32(g.Start)
	return t
}

// goPart is a part of Go's memory that is in use.
type goPart struct {
	start, limit uint64
	stack        bool // of a goroutine, else of an object or several
}

// goAnswer is what a copy of the process found in Go's memory.
type goAnswer struct {
	parts   []goPart
	known   bool // false: all of Go's memory must be read
	arenas  int
	objects [][2]uint64 // of each address: start and size of its object; zeroes for none
	stacks  []goStack   // of each address: the goroutine whose stack it lies in
}

type goStack struct{ id, start, created, lo, hi, used, status uint64 }

const mostParts, mostAsked = 1 << 20, 16

// askGo has a copy of the process read Go's memory, and look addresses up. For tests.
func askGo(l gospans.Layout, addresses ...uint64) (a goAnswer, err error) {
	const size = C.sizeof_struct_probe_twin + mostParts*C.sizeof_struct_probe_part
	shared, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		return a, err
	}
	defer func() { _ = unix.Munmap(shared) }()
	p := (*C.struct_probe_twin)(unsafe.Pointer(&shared[0]))
	p._go, p.room = twinGo(l), mostParts
	for _, address := range addresses[:min(len(addresses), mostAsked)] {
		p.stacks[p.asked].address, p.objects[p.asked].start = C.uint64_t(address), C.uint64_t(address)
		p.asked++
	}
	if status := C.probe_twin(p); status != 0 {
		return a, fmt.Errorf("the copy of the process ended with %d", status)
	}
	return answerOf(p)
}

func answerOf(p *C.struct_probe_twin) (a goAnswer, err error) {
	if a.known = p.parts != 1<<64-1; a.known && p.parts > mostParts {
		return a, fmt.Errorf("there is no room for %d parts", p.parts)
	} else if a.known {
		first := (*C.struct_probe_part)(unsafe.Add(unsafe.Pointer(p), C.sizeof_struct_probe_twin))
		for _, part := range unsafe.Slice(first, p.parts) {
			a.parts = append(a.parts, goPart{uint64(part.start), uint64(part.limit), part.root == C.TWIN_ROOT_GO_STACK})
		}
		a.arenas = int(p.arenas)
	}
	for i := range int(p.asked) {
		o, g := p.objects[i], p.stacks[i].found
		a.objects = append(a.objects, [2]uint64{uint64(o.start), uint64(o.size)})
		a.stacks = append(a.stacks, goStack{
			uint64(g.id), uint64(g.start), uint64(g.created), uint64(g.lo), uint64(g.hi), uint64(g.used), uint64(g.status),
		})
	}
	return a, nil
}

func goParts() (starts, limits []uint64, stack []bool, err error) {
	l, err := gospans.Find()
	if err != nil {
		return nil, nil, nil, err
	}
	a, err := askGo(l)
	if err == nil && !a.known {
		err = errors.New("a copy of the process did not understand Go's memory")
	}
	for _, p := range a.parts {
		starts, limits, stack = append(starts, p.start), append(limits, p.limit), append(stack, p.stack)
	}
	return starts, limits, stack, err
}
