package main

import (
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// A blockSite allocates one block of the given size, at one call site.
type blockSite struct {
	frames   []string // up to blocks
	size     uintptr
	allocate func(size uintptr) unsafe.Pointer
	free     func(unsafe.Pointer)
}

var blockSites = []blockSite{
	{direct("victim_malloc", "Malloc"), 24, victim.Malloc, victim.Free},
	{direct("victim_valloc", "Valloc"), 5000, victim.Valloc, victim.Free},
	{direct("victim_pvalloc", "Pvalloc"), 8192, victim.Pvalloc, victim.Free},
	{indirect("victim_calloc", "Calloc", "calloc"), 10 * 8, calloc, victim.Free},
	{indirect("victim_reallocarray", "Reallocarray", "reallocarray"), 11 * 8, reallocarray, victim.Free},
	{indirect("victim_posix_memalign", "PosixMemalign", "posixMemalign"), 72, posixMemalign, victim.Free},
	{indirect("victim_aligned_alloc", "AlignedAlloc", "alignedAlloc"), 192, alignedAlloc, victim.Free},
	{indirect("victim_memalign", "Memalign", "memalign"), 136, memalign, victim.Free},
	{indirect("victim_strdup", "Strdup", "strdup"), 152, strdup, victim.Free},
	{direct("victim_alloca", "Alloca"), 168, victim.Alloca, victim.Free},
	{direct("victim_realigned_stack", "RealignedStack"), 184, victim.RealignedStack, victim.Free},
	{direct("victim_realigned_alloca", "RealignedAlloca"), 200, victim.RealignedAlloca, victim.Free},
	{frames("victim_with_frame_pointer", direct("victim_frame_pointer_as_data", "FramePointerAsData")), 216, victim.FramePointerAsData, victim.Free},
	{direct("victim_caller_of_tail_call", "TailCall"), 232, victim.TailCall, victim.Free},
	{frames(repeated("victim_recursion", recursions+1), victimPackage+"Recursion", "main.recursion"), 248, recursion, victim.Free},
	{direct("victim_cxx_new", "New"), 264, victim.New, victim.Delete},
	{direct("victim_cxx_new_array", "NewArray"), 280, victim.NewArray, victim.DeleteArray},
	{frames("victim::make_array<int>", direct("victim_cxx_make_ints", "MakeInts"), "main.ints"), 74 * 4, ints, victim.DeleteArray},
	{frames("victim::make_array<double>", direct("victim_cxx_make_doubles", "MakeDoubles"), "main.doubles"), 39 * 8, doubles,
		victim.DeleteArray},
	{frames("victim::inlined_helper", "victim::caller_of_inlined", direct("victim_cxx_inlined", "Inlined")), 328, victim.Inlined,
		victim.Free},
	{indirect("victim_malloc", "Malloc", "large"), 2 << 20, large, victim.Free},
}

// direct are the frames of a C function and the function of package victim that calls it.
func direct(function, door string) []string { return []string{function, victimPackage + door} }

// indirect has one more frame, a function of this package between package victim's and blocks.
func indirect(function, door, caller string) []string {
	return []string{function, victimPackage + door, "main." + caller}
}

func repeated(name string, times int) []string {
	var all []string
	for range times {
		all = append(all, name)
	}
	return all
}

const recursions = 20

func large(size uintptr) unsafe.Pointer         { return victim.Malloc(size) }
func calloc(size uintptr) unsafe.Pointer        { return victim.Calloc(size/8, 8) }
func reallocarray(size uintptr) unsafe.Pointer  { return victim.Reallocarray(nil, size/8, 8) }
func posixMemalign(size uintptr) unsafe.Pointer { return victim.PosixMemalign(128, size) }
func alignedAlloc(size uintptr) unsafe.Pointer  { return victim.AlignedAlloc(64, size) }
func memalign(size uintptr) unsafe.Pointer      { return victim.Memalign(4096, size) }
func strdup(size uintptr) unsafe.Pointer        { return victim.Strdup(size - 1) }
func recursion(size uintptr) unsafe.Pointer     { return victim.Recursion(recursions, size) }
func ints(size uintptr) unsafe.Pointer          { return victim.MakeInts(size / 4) }
func doubles(size uintptr) unsafe.Pointer       { return victim.MakeDoubles(size / 8) }

// blocks allocates at a site as often as the visit says.
func (v *visit) blocks(s blockSite) {
	stack := frames(s.frames, "main.(*visit).blocks")
	for i := range v.count {
		block := s.allocate(s.size)
		if block == nil {
			panic("no block from " + s.frames[0])
		}
		if v.keeps(i) {
			v.allocated(stack, int64(s.size))
			continue
		}
		s.free(block)
		v.passed(stack, int64(s.size))
	}
	s.free(nil)
}
