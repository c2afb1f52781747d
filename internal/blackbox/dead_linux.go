package blackbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// ErrAlive reports that a file's process still runs, or that somebody recovers it at this moment.
var ErrAlive = errors.New("its process still runs, or somebody recovers it now")

// ErrUser reports a file of another user.
var ErrUser = errors.New("it belongs to another user")

// ErrRemoved reports that somebody has removed a file after it was found, most likely because it was recovered.
var ErrRemoved = errors.New("it was removed meanwhile")

// Names returns the paths of the files in a directory that have a name of Create's, the oldest name first.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if name := e.Name(); IsName(name) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// Open opens the file of a process that is gone, and locks it until it is closed. It returns ErrAlive for one that is not gone,
// as this process's own.
func Open(path string, o Options) (*os.File, error) {
	for end := time.Now().Add(o.Within); ; time.Sleep(pause) {
		if file, err := open(path, o.AnyUsers); !errors.Is(err, ErrAlive) || time.Now().After(end) {
			return file, err
		}
	}
}

// pause is how long Open waits before it tries again.
const pause = 10 * time.Millisecond

func open(path string, others bool) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := descriptor.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrPermission) && !others {
		return nil, fmt.Errorf("%w: %w", ErrUser, err)
	}
	if err != nil {
		return nil, err
	}
	if err := checked(file, before, others); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// checked locks a file that was opened, if it is the one that was looked at, and this user's or others may be.
func checked(file *os.File, before os.FileInfo, others bool) error {
	now, err := file.Stat()
	if err != nil {
		return err
	}
	var s unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &s); err != nil {
		return err
	}
	switch {
	case !os.SameFile(before, now):
		return fmt.Errorf("%s was replaced meanwhile", file.Name())
	case !others && int(s.Uid) != os.Geteuid():
		return fmt.Errorf("%s: %w (%d)", file.Name(), ErrUser, s.Uid)
	}
	if err := lock(int(file.Fd())); taken(err) {
		return ErrAlive
	} else if err != nil {
		return fmt.Errorf("locking %s: %w", file.Name(), err)
	}
	if now, err := os.Lstat(file.Name()); err != nil || !os.SameFile(before, now) { // whoever had the lock before has recovered it
		return fmt.Errorf("%s: %w", file.Name(), ErrRemoved)
	}
	return nil
}

// Release gives up the lock of a file that Open has opened, for one who only reads it: the program's next start may recover and remove
// it meanwhile. What was opened or mapped stays as it is.
func Release(file *os.File) error {
	return unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK})
}
