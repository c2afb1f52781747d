package descriptor

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OpenFile opens a file as os.OpenFile does.
func OpenFile(path string, flags int, mode os.FileMode) (*os.File, error) {
	if flags&(unix.O_WRONLY|unix.O_RDWR) != 0 {
		defer occupy()()
	}
	fd, err := open(path, flags|unix.O_CLOEXEC|unix.O_LARGEFILE, uint32(mode.Perm()))
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if flags&unix.O_NONBLOCK != 0 {
		blockIfRegular(fd)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// open returns a number above standard error's, unless there is none left.
func open(path string, flags int, mode uint32) (fd int, err error) {
	for {
		if fd, err = unix.Open(path, flags, mode); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil || fd > unix.Stderr {
		return fd, err
	}
	moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, unix.Stderr+1)
	if err != nil {
		return fd, nil
	}
	return moved, unix.Close(fd)
}

// occupy keeps the numbers up to standard error's, if they are free, until release is called: what is opened to be written may not be
// there even for a moment. Nothing can be written to what has them.
func occupy() (release func()) {
	var held []int
	for {
		fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == nil && fd <= unix.Stderr {
			held = append(held, fd)
			continue
		}
		if err == nil {
			_ = unix.Close(fd)
		}
		return func() {
			for _, fd := range held {
				if isOurs(fd) {
					_ = unix.Close(fd)
				}
			}
		}
	}
}

// isOurs tells whether the number still has what occupy opened: the program may have put a file of its own there meanwhile.
func isOurs(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_PATH != 0
}

// blockIfRegular takes the flag from what never blocks: it would bring the file to the poller.
func blockIfRegular(fd int) {
	var s unix.Stat_t
	if unix.Fstat(fd, &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFREG {
		_ = unix.SetNonblock(fd, false)
	}
}
