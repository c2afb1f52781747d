package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/symbolize"
)

// shared is what the flags say that all commands have which write profiles.
type shared struct {
	name   string // of the view
	within time.Duration
	view   remote.View
	naming symbolize.Options
	root   string // below which the files of a box's or core file's process lie; "" for /
}

var views = []report.View{report.InUse, report.Allocated, report.Peak, report.Age, report.ShortLived, report.Device, report.RSS}

func viewNames() (list []string) {
	for _, v := range views {
		list = append(list, v.Name)
	}
	return list
}

func (s *shared) add(flags *flag.FlagSet) {
	flags.StringVar(&s.name, "view", report.InUse.Name, "the `view`: inuse, allocated, peak, age, shortlived, device, or, of a living process, rss")
	flags.DurationVar(&s.view.Older, "older", 0, "a `time`; of -view age: leave out younger blocks")
	flags.DurationVar(&s.within, "within", time.Second, "a `time`; of -view shortlived: what was freed within 100ms, 1s, 10s, 1m, 10m or 1h")
	flags.Func("debug-dir", "a `directory` of separate debug files, like /usr/lib/debug; may be repeated", func(dir string) error {
		s.naming.DebugDirs = append(s.naming.DebugDirs, dir)
		return nil
	})
	flags.BoolVar(&s.naming.Debuginfod, "debuginfod", false, "ask the servers in DEBUGINFOD_URLS for debug files that are not on this machine")
}

func (s *shared) addRoot(flags *flag.FlagSet) {
	flags.StringVar(&s.root, "root", "", "a `directory`, such as the root of a container, below which the files of the process lie that a black box or core file is of")
}

// check comes after the flags were parsed.
func (s *shared) check() error {
	at := slices.IndexFunc(views, func(v report.View) bool { return v.Name == s.name })
	if at < 0 {
		return fmt.Errorf("there is no view %q: it must be inuse, allocated, peak, age, shortlived, device or rss", s.name)
	}
	s.view.View = views[at]
	if s.view.Within = slices.Index(tables.Lifetimes(), s.within) + 1; s.view.Within == 0 {
		return fmt.Errorf("-within is %v: it must be one of %v", s.within, tables.Lifetimes())
	}
	if s.view.Older < 0 {
		return fmt.Errorf("-older is %v, which is negative", s.view.Older)
	}
	return nil
}

// checkGone is check for a process that is gone.
func (s *shared) checkGone() error {
	if err := s.check(); err != nil {
		return err
	}
	if s.view.Name == report.RSS.Name {
		return remote.ErrNoPages
	}
	return nil
}

// inRoot has the files of a process that is gone, or only known by its box, looked for where -root says. An error closes the recording.
func (s *shared) inRoot(r *remote.Recording) error {
	if s.root == "" {
		return nil
	}
	err := r.FilesIn(s.root)
	if err != nil {
		r.Close()
	}
	return err
}

// writeFile writes the profile to a new file.
func (s *shared) writeFile(r *remote.Recording, path string) error {
	return newFile(path, func(w io.Writer) error { return r.Write(w, s.view, symbolize.New(s.naming)) })
}

// newFile makes a file, which its owner may read, and which is whole or not there.
func newFile(path string, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EEXIST}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".cgoheap-*.tmp")
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) { // unlike Rename, it replaces nothing
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
