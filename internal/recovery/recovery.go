package recovery

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/self"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Options of Run.
type Options struct {
	Boxes string // the directory of the boxes
	Own   string // the path of this process's box, which stays; "" for none
	To    string // where dumps go
	Keep  int    // dumps of the program that stay there, and boxes that are recovered
	Names symbolize.Options

	KeepBytes int64 // of dumps that stay there; 0: all
	Logger    *slog.Logger
	Ended     func() bool // the caller does not want any more
}

// Run recovers this program's boxes in a directory whose processes are gone. Those that are alive stay, as do those of other
// users and what only has the name of a box. Those of other programs are theirs: another container may have other files at the
// same paths, and another version of this package. Everything that happens is logged.
func Run(o Options) []Found {
	s := sweep{Options: o, done: make(map[string]bool)}
	for _, pause := range pauses {
		if time.Sleep(pause); !s.pass() {
			break
		}
	}
	return s.found
}

// The kernel may take a while to release the memory of a process that it has killed, and with it the box. So boxes that are
// locked are tried again. If their processes live, that is a system call for each.
var pauses = []time.Duration{0, 100 * time.Millisecond, 400 * time.Millisecond, time.Second, 2 * time.Second}

type sweep struct {
	Options
	done      map[string]bool // paths that need not be tried again
	recovered int
	found     []Found
}

// pass tries all boxes once, and reports whether some of them should be tried again.
func (s *sweep) pass() (again bool) {
	paths, err := newestFirst(s.Boxes)
	if err != nil {
		s.Logger.Warn("cgoheap: black boxes cannot be looked for", slog.Any("error", err))
	}
	for _, path := range paths {
		if s.Ended() {
			return false
		}
		if s.done[path] || path == s.Own {
			continue
		}
		file, err := blackbox.Open(path, blackbox.Options{})
		if errors.Is(err, blackbox.ErrAlive) {
			again = true
			continue
		}
		s.done[path] = true
		if err != nil {
			s.leave(path, err)
			continue
		}
		s.recover(file)
	}
	return again
}

// newestFirst returns the program's boxes in a directory, the newest first. The last change of a file says little, but is good
// enough for an order.
func newestFirst(dir string) ([]string, error) {
	paths, err := blackbox.Names(dir)
	paths = slices.DeleteFunc(paths, func(path string) bool { return !strings.HasPrefix(filepath.Base(path), blackbox.Prefix()) })
	sortByChange(paths)
	return paths, err
}

// sortByChange orders files by their last change, the newest first. One that is gone comes last.
func sortByChange(paths []string) {
	when := make(map[string]int64, len(paths))
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			when[path] = info.ModTime().UnixNano()
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(when[b], when[a]) })
}

// leave is for what is not a box of this user. One that somebody removed meanwhile needs no word.
func (s *sweep) leave(path string, err error) {
	log := s.Logger.With(slog.String("path", path), slog.Any("error", err))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, blackbox.ErrRemoved):
	case errors.Is(err, blackbox.ErrUser):
		log.Debug("cgoheap: a black box is left alone")
	default:
		log.Warn("cgoheap: a black box is left alone")
	}
}

// recover recovers a locked box and removes it. The lock ends with it.
func (s *sweep) recover(file *os.File) {
	defer file.Close()
	var found *Found
	var err error
	if caught := background.Guard("recovering a black box", func() { found, err = s.dump(file) }); caught != nil {
		err = caught
	}
	log := s.Logger.With(slog.String("box", file.Name()))
	switch {
	case err == nil:
		s.found = append(s.found, *found)
		s.tell(found)
	case errors.Is(err, errOrderly), errors.Is(err, remote.ErrNotBegun), errors.Is(err, fs.ErrExist):
		log.Debug("cgoheap: a black box is removed", slog.Any("error", err))
	case errors.Is(err, errTooMany), errors.Is(err, remote.ErrFull):
		log.Warn("cgoheap: a black box is removed", slog.Any("error", err))
	case errors.Is(err, errOthers):
		log.Debug("cgoheap: a black box is left alone", slog.Any("error", err))
		return
	case errors.Is(err, errNotWritten):
		s.tell(found) // that much is known
		log.Error("cgoheap: the profile of a black box could not be written; the box stays", slog.Any("error", err))
		return
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		log.Warn("cgoheap: a black box cannot be read now, and stays", slog.Any("error", err)) // the next start may have more
		return
	default:
		s.setAside(file.Name(), err)
		return
	}
	if err := os.Remove(file.Name()); err != nil {
		log.Error("cgoheap: a black box could not be removed", slog.Any("error", err))
	}
}

var (
	errTooMany    = errors.New("there are newer ones, as many as are kept")
	errNotWritten = errors.New("writing it")
	errOthers     = errors.New("it is another program's")
)

// dump writes the dump of a locked box, unless there are enough of its program.
func (s *sweep) dump(file *os.File) (*Found, error) {
	e, err := Open(file)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if arguments := e.About.Arguments; len(arguments) > 0 && filepath.Base(arguments[0]) != self.Name {
		return nil, errOthers
	}
	if e.orderly {
		return nil, errOrderly
	}
	if s.recovered >= s.Keep {
		return nil, errTooMany
	}
	s.recovered++
	path, err := e.dump(&s.Options)
	return &Found{Path: path, Story: *e.story}, err
}

// tell logs the verdict.
func (s *sweep) tell(found *Found) {
	for i, sentence := range found.Verdict {
		var more []any
		if found.Path != "" && i == len(found.Verdict)-1 {
			more = []any{slog.String("profile", found.Path)}
		}
		s.Logger.Warn("cgoheap: "+sentence, more...)
	}
}

// aside is the end of the names of boxes that were set aside, which are no boxes any more.
const aside = ".unreadable"

// setAside gives a box that cannot be read another name, and removes the oldest of those beyond the bound.
func (s *sweep) setAside(path string, why error) {
	log := s.Logger.With(slog.String("path", path+aside), slog.Any("error", why))
	if err := os.Rename(path, path+aside); err != nil {
		log.Error("cgoheap: a black box cannot be read, nor be set aside", slog.Any("rename", err))
		return
	}
	log.Warn("cgoheap: a black box cannot be read and was set aside")
	old, err := filepath.Glob(filepath.Join(escaped(filepath.Dir(path)), "*.box"+aside))
	if err != nil || len(old) <= s.Keep {
		return
	}
	sortByChange(old)
	for _, path := range old[s.Keep:] {
		_ = os.Remove(path) // another process may have removed it
	}
}

// escaped makes a directory a pattern that matches it alone.
func escaped(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
