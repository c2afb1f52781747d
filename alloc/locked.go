//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// goArena is the size of the largest piece of address space that Go's runtime maps for its heap.
const goArena = 64 << 20

// lockedRoom returns an error if the process locks all memory that it maps, mlockall(MCL_FUTURE), and may lock too little
// more. Go's runtime then ends the process as soon as it cannot map what it needs for a thread or for its heap. It may do
// so without a recording too; but a start needs memory of Go's, and would have it happen earlier.
func lockedRoom() error {
	if !locksNewMappings() {
		return nil
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil || limit.Cur > math.MaxInt64-goArena {
		return nil
	}
	most := int64(limit.Cur)
	if exceeds(most) {
		return nil
	}
	if room := most - lockedBytes(); room < goArena {
		return fmt.Errorf("the program locks all memory that it maps (mlockall), and may lock only %d bytes more"+
			" (RLIMIT_MEMLOCK is %d): Go's runtime needs room for %d", max(room, 0), most, goArena)
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

// exceeds reports whether the limit does not hold, as for a process with CAP_IPC_LOCK: then a larger mapping succeeds. It
// takes nothing of the limit where it holds.
func exceeds(limit int64) bool {
	beyond, err := unix.Mmap(-1, 0, int(limit)+os.Getpagesize(), unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return false
	}
	_ = unix.Munmap(beyond) // if it fails, address space stays, without memory
	return true
}

// lockedBytes is how much of the process's memory is locked; 0 if the kernel does not say.
func lockedBytes() int64 {
	status, _ := os.ReadFile("/proc/self/status") // without it, the limit alone counts
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, "VmLck:"); is {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
