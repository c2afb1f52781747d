package descriptor

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Open opens a file to be read, as os.Open does.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// ReadFile reads a file as os.ReadFile does.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// CreateTemp makes a new file of this user's in a directory, as os.CreateTemp does; a random number takes the place of the star.
func CreateTemp(dir, pattern string) (*os.File, error) {
	before, after, _ := strings.Cut(pattern, "*")
	for {
		path := filepath.Join(dir, before+strconv.FormatUint(rand.Uint64(), 36)+after)
		f, err := OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Writer returns what writes to a file, and sends the program no signal if the file may not grow.
func Writer(f *os.File) io.Writer { return writer{f} }

type writer struct{ to *os.File }

func (w writer) Write(text []byte) (n int, err error) {
	err = Quietly(func() error { n, err = w.to.Write(text); return err })
	return n, err
}

// Self returns the directory of this process in proc. When the main thread has ended and others go on, as after pthread_exit in main, the
// files of "self" are empty or missing. Then it is the directory of the calling thread, which has the same memory, files and control
// group. It only reads a file: a filter may end the process at other system calls.
func Self(proc string) string {
	self, thread := filepath.Join(proc, "self"), filepath.Join(proc, "thread-self")
	if hasMemory(self, true) || !hasMemory(thread, false) {
		return self
	}
	return thread
}

// hasMemory reports whether a directory's thread has memory; unknown, where that cannot be read.
func hasMemory(dir string, unknown bool) bool {
	pages, err := ReadFile(filepath.Join(dir, "statm"))
	if err != nil || len(pages) == 0 {
		return unknown
	}
	return !bytes.HasPrefix(pages, []byte("0 "))
}
