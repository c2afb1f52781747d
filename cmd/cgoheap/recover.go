package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/remote"
)

const recoverUsage = "usage: cgoheap recover [FLAGS] FILE|DIR...\n" +
	"Writes the profile of the last moment of each process that left a black box (Config.BlackBox) and is gone, beside the box. Boxes of processes that\n" +
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
	if err := f.check(); err != nil {
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
		if errors.Is(err, blackbox.ErrAlive) && !slices.Contains(flags.Args(), path) { // it was not asked for by its name
			about, err = err.Error(), nil
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

// recoverBox writes the profile of a box and returns a sentence about it.
func (f *shared) recoverBox(path string, opened blackbox.Options, dir string, remove bool) (about string, err error) {
	file, err := blackbox.Open(path, opened)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r, err := remote.ReadBox(file)
	if err != nil {
		return "", err
	}
	if dir == "" {
		dir = filepath.Dir(path)
	}
	to := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".box")+".pb.gz")
	if err := f.writeFile(r, to); err != nil {
		return "", err
	}
	if remove {
		if err := os.Remove(path); err != nil { // while it is locked, so that no two write its profile
			return "", err
		}
	}
	return fmt.Sprintf("%s: what process %d on %s, %s, had recorded from %s to its end, about %s", to, r.About.Process, r.About.Host, r.Program,
		r.Started().UTC().Format(time.RFC3339), r.Time.UTC().Format(time.RFC3339)), nil
}
