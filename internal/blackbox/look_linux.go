package blackbox

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Look opens the file of a process, living or gone, only to read it. It needs the file's own permission and nothing else: it locks
// nothing, follows links, as those to descriptors in /proc, and opens files of other users. A process lives if somebody has locked the
// file: it may also be a child of fork, or one who recovers the file, as nobody can tell whose a lock is. The kernel
// may release it some milliseconds after the end, so that much is waited for: see Options.Within.
func Look(path string, within time.Duration) (file *os.File, lives bool, err error) {
	file, err = descriptor.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	if lives, err = looked(file, time.Now().Add(within)); err != nil {
		_ = file.Close()
		return nil, false, err
	}
	return file, lives, nil
}

func looked(file *os.File, until time.Time) (lives bool, err error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", file.Name())
	}
	if err != nil {
		return false, err
	}
	for {
		if lives, err = isLocked(int(file.Fd())); err != nil {
			return false, fmt.Errorf("asking for the lock of %s: %w", file.Name(), err)
		}
		if !lives || time.Now().After(until) {
			return lives, nil
		}
		time.Sleep(pause)
	}
}

// isLocked reports whether somebody else has locked any of a file.
func isLocked(fd int) (bool, error) {
	l := unix.Flock_t{Type: unix.F_RDLCK}
	err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &l)
	return l.Type != unix.F_UNLCK, err
}
