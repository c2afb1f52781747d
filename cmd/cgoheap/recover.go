package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/terminal"
	"github.com/cgoheap/cgoheap/symbolize"
)

// releaseTime is for the kernel, which may release the file of a process some milliseconds after its end.
const releaseTime = 500 * time.Millisecond

// recovering is what the flags of recover say.
type recovering struct {
	shared
	dir            string
	remove, asJSON bool
}

func prepareRecover(flags *flag.FlagSet) action {
	var r recovering
	r.add(flags)
	r.addRoot(flags)
	flags.StringVar(&r.dir, "o", "", "the `directory` to write to (default that of the box)")
	flags.BoolVar(&r.remove, "rm", false, "remove each box whose profile was written")
	flags.BoolVar(&r.asJSON, "json", false, "print a JSON object for each box: what the .json file has but the timeline, and the profile's path")
	return func(s *streams, names []string) (int, error) {
		if err := r.checkGone(); err != nil {
			return exitUnreadable, err
		}
		return r.boxes(names, s)
	}
}

// boxes writes the profiles of black boxes and returns the exit code: the greatest of all.
func (r *recovering) boxes(names []string, s *streams) (code int, err error) {
	paths, err := boxesIn(names)
	if err != nil {
		fmt.Fprintf(s.trouble, "cgoheap recover: %v\n", err)
		code = exitUnreadable
	}
	opened := blackbox.Options{AnyUsers: os.Geteuid() == 0, Within: releaseTime}
	for _, path := range paths {
		var about *recovered
		err := terminal.Progress(s.progress, "recovering "+path, func() (err error) {
			about, err = r.box(path, opened)
			return err
		})
		if errors.Is(err, blackbox.ErrAlive) {
			opened.Within = 0 // all who died before have had that time now
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		if named := slices.Contains(names, path); !named && errors.Is(err, blackbox.ErrAlive) {
			about, err = &recovered{Box: path, Alive: true, sentences: err.Error()}, nil
		} else if !named && (errors.Is(err, blackbox.ErrRemoved) || errors.Is(err, fs.ErrNotExist) && isGone(path)) { // somebody else has recovered it
			continue
		}
		if err != nil {
			fmt.Fprintf(s.trouble, "cgoheap recover: %v\n", err)
			code = exitUnreadable
			continue
		}
		if err := about.tell(s.out, r.asJSON); err != nil {
			return exitUnreadable, err
		}
	}
	return code, nil
}

// isGone reports whether a file is not there any more. That a directory to write to is missing is an error of the same kind.
func isGone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// recovered is what became of a box, as JSON.
type recovered struct {
	Box     string `json:"box"`
	Alive   bool   `json:"alive,omitempty"` // its process still runs, or somebody recovers it now
	Profile string `json:"profile,omitempty"`
	*recovery.Story

	sentences string
}

func (r *recovered) tell(out io.Writer, asJSON bool) (err error) {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, err = fmt.Fprintln(out, r.sentences)
	return err
}

// boxesIn returns the files, and those in the directories.
func boxesIn(names []string) (paths []string, err error) {
	if len(names) == 0 {
		return nil, errors.New("a black box or a directory is needed")
	}
	for _, name := range names {
		info, failed := os.Stat(name)
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
		case !info.IsDir():
			paths = append(paths, name)
		default:
			inside, failed := blackbox.Names(name)
			if len(inside) == 0 && failed == nil {
				failed = fmt.Errorf("there is no black box in %s", name)
			}
			paths, err = append(paths, inside...), errors.Join(err, failed)
		}
	}
	return paths, err
}

// box writes the profile of a box, and a file beside it that tells of its process.
func (r *recovering) box(path string, opened blackbox.Options) (*recovered, error) {
	file, err := blackbox.Open(path, opened)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	e, err := recovery.Open(file)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if err := r.inRoot(e.Recording); err != nil {
		return nil, err
	}
	dir := r.dir
	if dir == "" {
		dir = filepath.Dir(path)
	}
	to := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".box"))
	err = newFile(to+".pb.gz", func(w io.Writer) error { return e.WriteProfile(w, r.view, symbolize.New(r.naming)) })
	if err == nil {
		if err = newFile(to+".json", e.WriteStory); err != nil {
			err = errors.Join(err, os.Remove(to+".pb.gz"))
		}
	}
	if err == nil && r.remove {
		err = os.Remove(path) // while it is locked, so that no two write its profile
	}
	if err != nil {
		return nil, err
	}
	story := *e.Story()
	story.Timeline = nil
	return &recovered{Box: path, Profile: to + ".pb.gz", Story: &story, sentences: to + ".pb.gz: " + strings.Join(e.Verdict(), "\n  ")}, nil
}
