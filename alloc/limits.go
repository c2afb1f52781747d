//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// goArena is the size of the largest piece of address space that Go's runtime maps for its heap.
const goArena = 64 << 20

// lockedRoom returns an error if the process locks all memory that it maps, mlockall(MCL_FUTURE), and may lock too little
// more. Go's runtime then ends the process as soon as it cannot map memory for a thread or for its heap. It may do so
// without a recording too, but Start needs Go memory and would make it happen earlier.
func lockedRoom() error {
	if !locksNewMappings() {
		return nil
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		return nil
	}
	return roomUnder(limit.Cur, exceeds, lockedBytes)
}

// roomUnder returns lockedRoom's error for a limit, if it holds and the bytes that are locked leave too little room below it.
func roomUnder(limit uint64, exceeds func(limit int64) bool, locked func() int64) error {
	if limit > math.MaxInt64-goArena || exceeds(int64(limit)) {
		return nil
	}
	if room := int64(limit) - locked(); room < goArena {
		return fmt.Errorf("the program locks all memory that it maps (mlockall), and may lock only %d bytes more"+
			" (RLIMIT_MEMLOCK is %d): Go's runtime needs room for %d", max(room, 0), limit, goArena)
	}
	return nil
}

// locksNewMappings maps a page and asks whether it is locked, which msync reports as EBUSY.
func locksNewMappings() bool {
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err == unix.EAGAIN // the limit is used up
	}
	err = unix.Msync(page, unix.MS_INVALIDATE)
	_ = unix.Munmap(page) // if it fails, a page of address space stays
	return err == unix.EBUSY
}

// exceeds reports whether the process is exempt from the limit, as with CAP_IPC_LOCK: then a larger mapping succeeds. It
// uses up none of the limit.
func exceeds(limit int64) bool {
	beyond, err := unix.Mmap(-1, 0, int(limit)+os.Getpagesize(), unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return false
	}
	_ = unix.Munmap(beyond) // if it fails, address space stays, without memory
	return true
}

// lockedBytes returns how much of the process's memory is locked; 0 if that cannot be read.
func lockedBytes() int64 {
	status, _ := descriptor.ReadFile(descriptor.Self("/proc") + "/status") // without it, the limit alone counts
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, "VmLck:"); is {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// addressRoom returns an error if the tables would take more than half of the addresses that RLIMIT_AS leaves: then it is the
// program that could not map memory later. The kernel counts all addresses of the tables from the start, used or not. Against
// RLIMIT_DATA, and where it promises no more memory than there is (vm.overcommit_memory=2), only what is used of the tables
// counts: see region_allow; so it is for what hooks work in (cgo/slots.h).
func addressRoom(tableBytes int64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return nil
	}
	return addressesUnder(int64(limit.Cur), addressBytes(), tableBytes)
}

func addressesUnder(limit, taken, tableBytes int64) error {
	if left := max(0, limit-taken); tableBytes > left/2 {
		return fmt.Errorf("the process may have %d bytes of addresses more (RLIMIT_AS is %d), and tables of %d would take more than half of "+
			"them from the program: set Config.TableBytes (with auto, CGOHEAP_TABLE_BYTES) to %d or less, or raise the limit", left, limit, tableBytes, left/2)
	}
	return nil
}

// addressBytes returns how many bytes of addresses the process has; 0 if that cannot be read.
func addressBytes() int64 {
	text, _ := descriptor.ReadFile(descriptor.Self("/proc") + "/statm") // without it, the limit alone counts
	pages, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(pages, 10, 64)
	return n * int64(os.Getpagesize())
}
