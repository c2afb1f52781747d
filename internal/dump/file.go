package dump

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/self"
)

// dumps numbers the dumps of the process.
var dumps atomic.Uint64

// writable makes dir absolute, because the program may change its working directory, and tries to make a file in it.
func writable(dir string) (string, error) {
	if dir == "" { // os.CreateTemp would take another directory
		return "", errors.New("no name was given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	f, err := descriptor.CreateTemp(dir, tempPattern)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) { // of the file, whose name says nothing to anybody
		err = fmt.Errorf("%s: %w", dir, failed.Err)
	}
	if err != nil {
		return "", err
	}
	return dir, errors.Join(f.Close(), os.Remove(f.Name()))
}

// make makes one dump, then removes the oldest. It logs every error, and returns the dump's path and error. About is what else the
// log says of the dump.
func (d *dumper) make(why slog.Attr, about ...any) (path string, err error) {
	d.making.Lock()
	defer d.making.Unlock()
	path, err = d.writeFile()
	if d.Made != nil {
		d.Made(err)
	}
	if err != nil {
		d.Logger.Error("cgoheap: dump failed", append([]any{why, slog.Any("error", err)}, about...)...)
		return "", err
	}
	d.Logger.Info("cgoheap: dumped", append([]any{why, slog.String("path", path)}, about...)...)
	kept := retention{d.Dir, self.Name, d.Keep, d.KeepBytes}
	if err := kept.clear(filepath.Base(path)); err != nil {
		d.Logger.Error("cgoheap: old dumps could not be removed", slog.Any("error", err))
	}
	return path, nil
}

func dumpName(program string, pid int, at time.Time, number uint64) string {
	return fmt.Sprintf("%s.%d.%s.%d%s", program, pid, at.UTC().Format(dumpTime), number, dumpSuffix)
}

const (
	dumpTime    = "20060102T150405Z"
	dumpSuffix  = ".cgoheap.pb.gz"
	tempPattern = ".cgoheap-*.tmp"
)

// writeFile writes a profile to a temporary file in dir, and gives it a dump's name when it is complete.
func (d *dumper) writeFile() (path string, err error) {
	return writeTemporary(d.Dir, d.Write, d.publish)
}

// writeTemporary writes a temporary file in a directory and, when it is complete, publishes it under the path that it returns.
func writeTemporary(dir string, write func(io.Writer) error, publish func(temporary string) (path string, err error)) (path string, err error) {
	f, err := descriptor.CreateTemp(dir, tempPattern) // mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(f.Name()))
		}
	}()
	if err := errors.Join(write(descriptor.Writer(f)), f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return publish(f.Name())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// publish gives the temporary file a name that no other file has. Containers that share a directory may have processes of the same
// number, which dump in the same second.
func (d *dumper) publish(temporary string) (string, error) {
	for {
		path := filepath.Join(d.Dir, dumpName(self.Name, os.Getpid(), time.Now(), dumps.Add(1)))
		if err := rename(temporary, path, os.Link); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// rename is os.Rename, but returns fs.ErrExist if there is a file of that name. Where the file system has no hard links, the name
// is taken by an empty file first.
func rename(from, to string, link func(from, to string) error) error {
	err := link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	empty, err := descriptor.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(empty.Close(), os.Rename(from, to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}
