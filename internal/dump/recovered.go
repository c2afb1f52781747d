package dump

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Recovered is a dump of another process, which is gone. Its name follows from its fields, so nobody writes it twice.
type Recovered struct {
	Dir  string
	Keep int // dumps of this program that stay in the directory; 0: all

	KeepBytes int64 // of them; 0: all

	Program string // the path of its executable
	PID     int
	Time    time.Time
	Number  uint64 // tells it from others of the same process number and time

	Profile func(io.Writer) error // writes it
	Beside  func(io.Writer) error // after that, writes a file that belongs to it: PROGRAM.PID.TIME.NUMBER.cgoheap.json
}

// Write writes both files, of which the profile appears last, and removes the oldest dumps of the program. It returns
// fs.ErrExist, and the path, if the dump is there already.
func (r *Recovered) Write() (path string, err error) {
	program := programOf(r.Program)
	path = filepath.Join(r.Dir, dumpName(program, max(1, r.PID), r.Time, max(1, r.Number)))
	if _, err := os.Lstat(path); err == nil {
		return path, fs.ErrExist
	}
	_, err = writeTemporary(r.Dir, r.Profile, func(profile string) (string, error) {
		_, err := writeTemporary(r.Dir, r.Beside, func(beside string) (string, error) { return "", os.Rename(beside, besideOf(path)) })
		if err == nil {
			err = rename(profile, path, os.Link)
		}
		return path, err
	})
	if errors.Is(err, fs.ErrExist) {
		return path, fs.ErrExist
	}
	if err != nil {
		return "", errors.Join(err, removeIfThere(besideOf(path)))
	}
	kept := retention{dir: r.Dir, program: program, keep: r.Keep, keepBytes: r.KeepBytes}
	return path, kept.clear(filepath.Base(path))
}

// programOf returns the name of a program as it is a part of a dump's.
func programOf(path string) string {
	name := filepath.Base(path)
	if name == "" || strings.Trim(name, ".") == "" || name == string(filepath.Separator) {
		return "program"
	}
	return name
}

// besideOf returns the name of the file that belongs to a dump.
func besideOf(name string) string { return strings.TrimSuffix(name, dumpSuffix) + besideSuffix }

const besideSuffix = ".cgoheap.json"
