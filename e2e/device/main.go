package main

// #cgo LDFLAGS: -ldl
// #include "card.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap"
	_ "github.com/cgoheap/cgoheap/allocators/cuda"
)

func main() {
	if err := check(); err != nil {
		fmt.Println("device:", err)
		os.Exit(1)
	}
	fmt.Println("PASS: recorded is what the driver says")
}

func called(name string, failed C.int) error {
	if failed != 0 {
		return fmt.Errorf("%s returned %d", name, failed)
	}
	return nil
}

func check() error {
	runtime.LockOSThread()                    // a context is a thread's
	p, err := cgoheap.Start(cgoheap.Config{}) // blocks of malloc's are sampled; those of devices are all recorded
	if err != nil {
		return err
	}
	var devices C.int
	if err := called("looking for devices", C.card_count(&devices)); err != nil {
		return err
	}
	for asked := range C.int(2) {
		for n := range devices {
			if err := compare(p, n, asked); err != nil {
				return fmt.Errorf("device %d, with cuGetProcAddress %d: %w", n, asked, err)
			}
		}
	}
	return p.Stop()
}

// The driver gives memory in pages of 2 MiB, so of such sizes nothing is rounded.
const page = 2 << 20

func compare(p *cgoheap.Profiler, n, asked C.int) error {
	if err := called("opening the device", C.card_open(n, asked)); err != nil {
		return err
	}
	var before, after, again C.size_t
	blocks := make([]C.uint64_t, 5)
	device := fmt.Sprintf("GPU %d", n)
	failed := []error{
		called("cuMemGetInfo", C.card_free(&before)),
		give(blocks, n),
		called("cuMemGetInfo", C.card_free(&after)),
		holds(p, "cuda", device, 2, (32+48)*page),
		called("cuMemAllocManaged", C.card_managed(&blocks[2], 3*page)),
		called("cuMemHostAlloc", C.card_pinned(&blocks[3], 5*page)),
		holds(p, "cuda managed", device, 1, 3*page),
		holds(p, "cuda pinned", "", 1, 5*page),
		called("cuMemFree", C.card_take(blocks[2])),
		called("cuMemFreeHost", C.card_take_pinned(blocks[3])),
		called("cuMemFree", C.card_take(blocks[0])),
		called("cuMemRelease", C.card_release(blocks[1])),
		called("cuMemGetInfo", C.card_free(&again)),
	}
	if used := int64(before) - int64(after); used != (32+48)*page {
		failed = append(failed, fmt.Errorf("by the driver %d bytes came into use, recorded are %d", used, (32+48)*page))
	}
	if before != again {
		failed = append(failed, fmt.Errorf("by the driver %d bytes were free before, and %d after everything was freed", before, again))
	}
	if C.card_async(&blocks[4], 7*page) == 0 { // not every device has pools
		failed = append(failed, holds(p, "cuda", device, 1, 7*page), called("cuMemFreeAsync", C.card_take_async(blocks[4])))
	}
	for _, kind := range []string{"cuda", "cuda managed"} {
		failed = append(failed, holds(p, kind, device, 0, 0))
	}
	failed = append(failed, holds(p, "cuda pinned", "", 0, 0), called("closing the device", C.card_close(n)))
	return errors.Join(failed...)
}

//go:noinline
func give(blocks []C.uint64_t, n C.int) error {
	return errors.Join(called("cuMemAlloc", C.card_alloc(&blocks[0], 32*page)), called("cuMemCreate", C.card_create(&blocks[1], 48*page, n)))
}

// holds compares what is recorded of a kind, and whether each stack leads to here.
func holds(p *cgoheap.Profiler, kind, device string, blocks, bytes int64) error {
	in, err := recorded(p, kind, device)
	if err != nil {
		return err
	}
	if in.blocks != blocks || in.bytes != bytes {
		return fmt.Errorf("%s on %q: recorded are %d blocks of %d bytes, not %d of %d", kind, device, in.blocks, in.bytes, blocks, bytes)
	}
	for _, stack := range in.stacks {
		if !leads(stack) {
			return fmt.Errorf("a stack does not lead from a call to main: %q", stack)
		}
	}
	return nil
}

// leads reports whether a stack begins with the program's call of the driver, and leads through this file.
func leads(stack []string) bool {
	called := slices.ContainsFunc(stack, func(f string) bool { return strings.Contains(f, "card_") })
	ours := slices.ContainsFunc(stack, func(f string) bool { return strings.Contains(f, "cgoheap_") || strings.HasPrefix(f, "cuMem") })
	return called && !ours && slices.Contains(stack, "main.compare") && slices.Contains(stack, "runtime.main")
}
