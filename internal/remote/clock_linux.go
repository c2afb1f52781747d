package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/layout"
)

// ticksSince returns the ticks since a moment of the clock of a process, whose folder in /proc this is. All processes of a time
// namespace share it.
func ticksSince(dir string, clock uint64) (ticks uint64, err error) {
	shift, err := clockShift(dir)
	if err != nil {
		return 0, err
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_COARSE, &now); err != nil { // as clock.h does
		return 0, err
	}
	return (uint64(now.Nano()+shift.Nanoseconds()) - clock) / layout.Tick, nil
}

// clockShift returns by how much a process's clock is ahead of this one's.
func clockShift(dir string) (time.Duration, error) {
	const own = "/proc/self"
	here, err := os.Readlink(filepath.Join(own, "ns/time"))
	if errors.Is(err, fs.ErrNotExist) { // the kernel is older than 5.6, and has no such namespaces
		return 0, nil
	}
	there, failed := os.Readlink(filepath.Join(dir, "ns/time"))
	if err = errors.Join(err, failed); err != nil || here == there {
		return 0, err
	}
	ours, err := clockOffset(own)
	theirs, failed := clockOffset(dir)
	return theirs - ours, errors.Join(err, failed)
}

// clockOffset returns by how much a process's clock is ahead of the machine's. The kernel says it of the namespace that children
// will have.
func clockOffset(dir string) (time.Duration, error) {
	now, err := os.Readlink(filepath.Join(dir, "ns/time"))
	later, failed := os.Readlink(filepath.Join(dir, "ns/time_for_children"))
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	if later != now {
		return 0, errors.New("the process has a time namespace for its children that is not its own")
	}
	text, err := descriptor.ReadFile(filepath.Join(dir, "timens_offsets"))
	if err != nil {
		return 0, err
	}
	var seconds, nanoseconds int64
	_, err = fmt.Sscanf(string(text), "monotonic %d %d", &seconds, &nanoseconds)
	return time.Duration(seconds)*time.Second + time.Duration(nanoseconds), err
}
