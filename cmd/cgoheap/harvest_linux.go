package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/remote"
)

// harvest reads the boxes of a run, and removes them.
//
// A process that executes another program leaves a box behind, and is to have but one: its newest. That of a process that has ended is not
// locked any more; but so is one of which the process executes a program that is not recorded.
type harvest struct {
	*running
	dir      string
	pid      int        // of the program
	own      *summary   // of the program
	children []*summary // of others that have ended
	troubles []error
}

// left is a box in the directory.
type left struct {
	path string
	pid  int
	time string // of its name; later ones are greater
}

// boxes returns those of each process, the newest last.
func (h *harvest) boxes() (map[int][]left, error) {
	paths, err := blackbox.Names(h.dir)
	byProcess := make(map[int][]left)
	for _, path := range paths {
		parts := strings.Split(filepath.Base(path), ".") // cgoheap.PROGRAM.HOST.PID.TIME.box
		if len(parts) < 6 {
			continue
		}
		if pid, err := strconv.Atoi(parts[len(parts)-3]); err == nil {
			byProcess[pid] = append(byProcess[pid], left{path, pid, parts[len(parts)-2]})
		}
	}
	for _, list := range byProcess {
		slices.SortFunc(list, func(a, b left) int { return cmp.Compare(a.time, b.time) })
	}
	return byProcess, err
}

// recoverChildren writes the profiles of processes that have ended, but for the program's.
func (h *harvest) recoverChildren() {
	if h.running.children == "none" {
		return
	}
	all, err := h.boxes()
	if err != nil {
		h.troubles = append(h.troubles, err)
		return
	}
	for pid, list := range all {
		if pid == h.pid {
			continue
		}
		newest := list[len(list)-1]
		h.removeAll(list[:len(list)-1])
		file, err := blackbox.Open(newest.path, blackbox.Options{})
		switch {
		case errors.Is(err, blackbox.ErrAlive), errors.Is(err, os.ErrNotExist):
		case err != nil:
			h.troubles = append(h.troubles, fmt.Errorf("%s: %w", newest.path, err))
		case executes(pid):
			file.Close()
			h.removeAll(list[len(list)-1:])
		default:
			if sum := h.read(file, h.fileOf(pid, true)); sum != nil {
				h.children = append(h.children, sum)
			}
		}
	}
}

// executes reports whether a process is there and has a program. One that has ended, and for which nobody has waited, has none.
func executes(pid int) bool {
	_, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil
}

func (h *harvest) removeAll(list []left) {
	for _, b := range list {
		if err := os.Remove(b.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			h.troubles = append(h.troubles, err)
		}
	}
}

// read writes the profile of a box, removes it, and closes the file. It returns nil if there is none: then a trouble says why.
func (h *harvest) read(file *os.File, profile string) *summary {
	defer file.Close()
	r, err := remote.ReadBox(file)
	if errors.Is(err, remote.ErrNotBegun) {
		h.removeAll([]left{{path: file.Name()}})
		return nil
	}
	if errors.Is(err, remote.ErrFull) {
		h.removeAll([]left{{path: file.Name()}})
		h.troubles = append(h.troubles, fmt.Errorf("there is no profile, because the tables had no room in %s: name a larger directory in memory with "+
			"-tables, or record less with -sample", h.dir))
		return nil
	}
	var sum *summary
	if err == nil {
		defer r.Close()
		sum, err = h.take(r, profile)
	}
	if err != nil {
		h.troubles = append(h.troubles, fmt.Errorf("the profile could not be written, and the tables stay in %s: %w", file.Name(), err))
		return nil
	}
	h.removeAll([]left{{path: file.Name()}})
	return sum
}

// finish reads what the program has left, and removes the directory unless something stays in it.
func (h *harvest) finish(end ending) error {
	h.recoverChildren()
	all, err := h.boxes()
	if err != nil {
		return err
	}
	if list := all[h.pid]; len(list) > 0 {
		h.removeAll(list[:len(list)-1])
		file, err := descriptor.OpenFile(list[len(list)-1].path, os.O_RDWR|unix.O_NOFOLLOW, 0) // whoever has its lock: the program has ended
		if err != nil {
			return err
		}
		h.own = h.read(file, h.fileOf(h.pid, false))
	}
	alive, err := blackbox.Names(h.dir)
	if err == nil && len(alive) == 0 {
		err = os.Remove(h.dir)
	}
	if err != nil {
		return err
	}
	if h.own == nil && len(h.troubles) > 0 {
		return fmt.Errorf("the program %s after %.1f s", end.how, end.seconds)
	}
	if h.own == nil {
		return fmt.Errorf("the program %s after %.1f s, and nothing was recorded: a line above says why, or the program had a container or a service "+
			"run another one; then use cgoheap run there", end.how, end.seconds)
	}
	if len(alive) > 0 {
		h.troubles = append(h.troubles, fmt.Errorf("other processes still run (%d); when they have ended, cgoheap recover %s has their profiles", len(alive), h.dir))
	}
	h.own.Ended, h.own.ExitCode, h.own.Seconds, h.own.PeakResident = end.how, end.code, end.seconds, end.resident
	h.own.Children = h.children
	return nil
}
