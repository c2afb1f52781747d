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
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/symbolize"
)

const recoverUsage = "usage: cgoheap recover [FLAGS] FILE|DIR...\n" +
	"Writes the profile of the last moment of each process that left a black box (Config.BlackBox) and is gone, beside the box, and a .json file with the\n" +
	"account and the timeline of its last hours. It prints how the process ended, what its memory was, and who held most of it. Boxes of processes that\n" +
	"still run are left alone. Root may read those of all users, others only their own. The boxes stay where they are, unless -rm is given."

// releaseTime is for the kernel, which may release the file of a process some milliseconds after its end.
const releaseTime = 500 * time.Millisecond

// recoverBoxes writes the profiles of black boxes and returns the exit code: the greatest of all.
func recoverBoxes(arguments []string, out, trouble io.Writer) (code int) {
	flags := flag.NewFlagSet("recover", flag.ContinueOnError)
	flags.SetOutput(trouble)
	flags.Usage = func() {
		fmt.Fprintln(trouble, recoverUsage)
		flags.PrintDefaults()
	}
	var f shared
	f.add(flags)
	dir := flags.String("o", "", "the directory to write to (default that of the box)")
	remove := flags.Bool("rm", false, "remove each box whose profile was written")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return exitGood
	} else if err != nil {
		return exitUnreadable
	}
	if err := f.checkGone(); err != nil {
		fmt.Fprintf(trouble, "cgoheap recover: %v\n", err)
		return exitUnreadable
	}
	paths, err := boxesIn(flags.Args())
	if err != nil {
		fmt.Fprintf(trouble, "cgoheap recover: %v\n", err)
		code = exitUnreadable
	}
	opened := blackbox.Options{AnyUsers: os.Geteuid() == 0, Within: releaseTime}
	for _, path := range paths {
		about, err := f.recoverBox(path, opened, *dir, *remove)
		if errors.Is(err, blackbox.ErrAlive) {
			opened.Within = 0 // all who died before have had that time now
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		if named := slices.Contains(flags.Args(), path); !named && errors.Is(err, blackbox.ErrAlive) {
			about, err = err.Error(), nil
		} else if !named && (errors.Is(err, blackbox.ErrRemoved) || errors.Is(err, fs.ErrNotExist)) { // somebody else has recovered it
			continue
		}
		if err != nil {
			fmt.Fprintf(trouble, "cgoheap recover: %v\n", err)
			code = exitUnreadable
			continue
		}
		fmt.Fprintln(out, about)
	}
	return code
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

// recoverBox writes the profile of a box, and a file beside it that tells of its process, and returns sentences about it.
func (f *shared) recoverBox(path string, opened blackbox.Options, dir string, remove bool) (about string, err error) {
	file, err := blackbox.Open(path, opened)
	if err != nil {
		return "", err
	}
	defer file.Close()
	e, err := recovery.Open(file)
	if err != nil {
		return "", err
	}
	defer e.Close()
	if dir == "" {
		dir = filepath.Dir(path)
	}
	to := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".box"))
	err = newFile(to+".pb.gz", func(w io.Writer) error { return e.WriteProfile(w, f.view, symbolize.New(f.naming)) })
	if err == nil {
		if err = newFile(to+".json", e.WriteStory); err != nil {
			err = errors.Join(err, os.Remove(to+".pb.gz"))
		}
	}
	if err != nil {
		return "", err
	}
	if remove {
		if err := os.Remove(path); err != nil { // while it is locked, so that no two write its profile
			return "", err
		}
	}
	return to + ".pb.gz: " + strings.Join(e.Verdict(), "\n  "), nil
}
