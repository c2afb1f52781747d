package blackbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/self"
)

// Box is the file of this process.
type Box struct {
	file *os.File
	path string
}

// The parts of a file's name: cgoheap.PROGRAM.HOST.PID.TIME.box.
const (
	prefix = "cgoheap."
	suffix = ".box"
)

// Prefix begins the names of this program's files. Names of a program called PROGRAM.x begin with it as well.
func Prefix() string { return prefix + self.Name + "." }

// Create makes a file of so many bytes in a directory, all holes, and locks it.
func Create(dir string, size int64) (*Box, error) {
	for {
		b, err := create(dir)
		if err != nil {
			return nil, err
		}
		if there, err := b.isThere(); err == nil && !there { // somebody who recovers had its lock first, found nothing in it, and removed it
			_ = b.file.Close()
			continue
		}
		if err := b.file.Truncate(size); err != nil {
			return nil, errors.Join(fmt.Errorf("making the black box: %w", err), b.Remove())
		}
		return b, nil
	}
}

// create makes an empty file and locks it.
func create(dir string) (*Box, error) {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, "/\x00") || host == "" {
		host = "localhost"
	}
	name := fmt.Sprintf("%s%s.%d.%s%s", Prefix(), host, os.Getpid(), strconv.FormatInt(time.Now().UnixNano(), 36), suffix)
	path := filepath.Join(dir, name)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making the black box: %w", err)
	}
	b := &Box{file, path}
	if err := lockNew(file); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the black box %s: %w", path, err), b.Remove())
	}
	return b, nil
}

// isThere reports whether the file still has a name.
func (b *Box) isThere() (bool, error) {
	var s unix.Stat_t
	err := unix.Fstat(int(b.file.Fd()), &s)
	return s.Nlink > 0, err
}

// File returns the file, which must not be closed.
func (b *Box) File() *os.File { return b.file }

// Path returns its path.
func (b *Box) Path() string { return b.path }

// Remove deletes the file, unless another one has its name by now, and closes it.
func (b *Box) Remove() error {
	var err error
	if now, failed := os.Lstat(b.path); failed == nil {
		if ours, failed := b.file.Stat(); failed == nil && os.SameFile(now, ours) {
			err = os.Remove(b.path)
		}
	}
	return errors.Join(err, b.file.Close())
}

// lockNew locks a file that was just made. Somebody who recovers what is in the directory may have locked it first: there is
// nothing in it yet, so that is over at once.
func lockNew(file *os.File) (err error) {
	const tries = 200
	for range tries {
		if err = lock(file); err == nil || !taken(err) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// taken reports whether an error of lock says that another process has the lock.
func taken(err error) bool { return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) }

// lock locks the whole file, or fails at once.
func lock(file *os.File) error {
	return unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
}
