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
	"github.com/cgoheap/cgoheap/internal/report"
)

// harvest reads the boxes of a run, and removes them. Instead of a box, the program may have a segment of memory.
//
// A process that executes another program leaves a box behind, and is to have but one: its newest. That of a process that has ended is not
// locked any more; but so is one of which the process executes a program that is not recorded.
type harvest struct {
	*running
	dir      string
	segment  *blackbox.Segment // for the program; nil if there is none
	pid      int               // of the program
	own      *summary          // of the program
	children []*summary        // of others that have ended
	alive    int               // others that still ran at the last look
	notes    []string          // for the user
	troubles []error           // the same, which make an exit code of 0 another one
	looked   chan struct{}
	typed    bool   // whether a key of the terminal has sent a signal
	seen     left   // the newest box of the program at the last look
	executed string // the program that it executes since, and that is not recorded; "" if there is none
}

// wanted is a file in the directory: while it is there, a process that ends in order leaves its box although this command is gone.
const wanted = "wanted"

// left is a box in the directory, or the segment.
type left struct {
	path string // "" for the segment
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
	if pid, started := h.segment.Begun(); pid != 0 {
		byProcess[pid] = append(byProcess[pid], left{"", pid, strconv.FormatUint(started, 16)})
	}
	for _, list := range byProcess {
		slices.SortFunc(list, func(a, b left) int { return cmp.Compare(a.time, b.time) })
	}
	return byProcess, err
}

// look removes what programs that have executed others have left, and writes the profiles of processes that have ended, but for the
// program's.
func (h *harvest) look() {
	all, err := h.boxes()
	if err != nil {
		h.troubles = append(h.troubles, err)
		return
	}
	if list := all[h.pid]; len(list) > 0 {
		h.removeAll(list[:len(list)-1])
		h.lookAt(list[len(list)-1])
		delete(all, h.pid)
	}
	h.alive = 0
	if h.running.children != "none" { // otherwise a box is of one whose parent has ended where this process takes its place
		h.recoverChildren(all)
	}
}

// lookAt looks whether the program, whose newest box is this, has executed another one. A box of less than a second is left alone: it may
// not be locked yet.
func (h *harvest) lookAt(b left) {
	if b != h.seen {
		h.seen, h.executed = b, ""
		return
	}
	file, err := h.open(b)
	if err != nil {
		return
	}
	defer file.Close() // of nil, it does nothing
	h.executed = cmp.Or(programOf(h.pid), h.executed)
}

// open opens a box that no process has any more; of the segment it returns nil.
func (h *harvest) open(b left) (*os.File, error) {
	if b.path != "" {
		return blackbox.Open(b.path, blackbox.Options{})
	}
	if h.segment.Attached() {
		return nil, blackbox.ErrAlive
	}
	return nil, nil
}

func (h *harvest) recoverChildren(all map[int][]left) {
	for pid, list := range all {
		newest := list[len(list)-1]
		h.removeAll(list[:len(list)-1])
		file, err := h.open(newest)
		switch {
		case errors.Is(err, blackbox.ErrAlive):
			h.alive++
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			h.troubles = append(h.troubles, fmt.Errorf("%s: %w", newest.path, err))
		case programOf(pid) != "":
			file.Close()
			h.remove(newest)
		default:
			sum, err := h.read(newest, file, h.fileOf(pid, true))
			switch {
			case err == nil:
				h.children = append(h.children, sum)
			case errors.Is(err, remote.ErrNotBegun):
				h.notes = append(h.notes, fmt.Sprintf("process %d: %v", pid, err))
			default:
				h.troubles = append(h.troubles, err)
			}
		}
	}
}

// programOf returns the path of the program that a process executes. It is "" if there is no such process, or if it has ended and nobody has
// waited for it.
func programOf(pid int) string {
	path, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return path
}

func (h *harvest) removeAll(list []left) {
	for _, b := range list {
		h.remove(b)
	}
}

func (h *harvest) remove(b left) {
	if b.path == "" {
		if err := h.segment.Remove(); err != nil {
			h.troubles = append(h.troubles, err)
		}
		h.segment = nil
		return
	}
	if err := os.Remove(b.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		h.troubles = append(h.troubles, err)
	}
}

// recording reads a box, or the segment.
func (h *harvest) recording(b left, file *os.File) (*remote.Recording, error) {
	if b.path == "" {
		return remote.ReadMemory(h.segment.Memory())
	}
	return remote.ReadBox(file)
}

// read writes the profile of a box, removes it, and closes the file.
func (h *harvest) read(b left, file *os.File, profile string) (*summary, error) {
	defer file.Close()
	r, err := h.recording(b, file)
	if errors.Is(err, remote.ErrNotBegun) {
		h.remove(b)
		return nil, fmt.Errorf("there is no profile: %w", err)
	}
	if errors.Is(err, remote.ErrFull) {
		h.remove(b)
		return nil, fmt.Errorf("there is no profile, because the tables had no room in %s: name a larger directory in memory with "+
			"-tables, or record less with -sample", h.dir)
	}
	var sum *summary
	if err == nil {
		defer r.Close()
		sum, err = h.take(r, profile)
	}
	if err != nil {
		box, failed := h.keep(b)
		if failed != nil {
			return nil, fmt.Errorf("neither the profile nor the tables could be written: %w", errors.Join(err, failed))
		}
		return nil, fmt.Errorf("the profile could not be written, and the tables stay in %s: %w", box, err)
	}
	h.remove(b)
	return sum, nil
}

// keep returns the path of a box that is to stay; what is in the segment becomes one.
func (h *harvest) keep(b left) (path string, err error) {
	if b.path != "" {
		return b.path, nil
	}
	path = filepath.Join(h.dir, fmt.Sprintf("cgoheap.program.localhost.%d.%s.box", b.pid, b.time))
	return path, h.segment.Save(path)
}

// finish reads what the program has left, and removes the directory unless something stays in it.
func (h *harvest) finish(end ending) error {
	if err := os.WriteFile(filepath.Join(h.dir, wanted), nil, 0o600); err != nil {
		h.troubles = append(h.troubles, err)
	}
	h.look()
	failed, err := h.readOwn()
	if err != nil {
		return err
	}
	if err := h.leave(); err != nil {
		return err
	}
	switch {
	case failed != nil:
		h.troubles = append(h.troubles, failed)
		return fmt.Errorf("the program %s after %.1f s", end.how, end.seconds)
	case h.own == nil:
		return fmt.Errorf("the program %s after %.1f s, and nothing was recorded: a line above says why; if none does, the program has cleared its "+
			"environment, or had a container or a service run another one; then use cgoheap run there", end.how, end.seconds)
	}
	if h.own.File != h.fileOf(h.pid, false) && h.file != "" {
		h.troubles = append(h.troubles, fmt.Errorf("somebody has made %s meanwhile: the profile is %s", h.file, h.own.File))
	}
	h.note()
	h.own.Ended, h.own.ExitCode, h.own.Seconds, h.own.PeakResident = end.how, end.code, end.seconds, end.resident
	slices.SortFunc(h.children, func(a, b *summary) int {
		return cmp.Or(cmp.Compare(b.PeakBytes, a.PeakBytes), cmp.Compare(a.PID, b.PID))
	})
	h.own.Children = h.children
	return nil
}

// readOwn reads the box of the program, if there is one. failed says why its profile could not be written.
func (h *harvest) readOwn() (failed, err error) {
	all, err := h.boxes()
	if err != nil || len(all[h.pid]) == 0 {
		return nil, err
	}
	list := all[h.pid]
	newest := list[len(list)-1]
	var file *os.File
	if newest.path != "" {
		file, err = descriptor.OpenFile(newest.path, os.O_RDWR|unix.O_NOFOLLOW, 0) // whoever has its lock: the program has ended
	}
	if err != nil {
		return nil, err
	}
	h.own, failed = h.read(newest, file, h.fileOf(h.pid, false))
	return failed, nil
}

// leave removes the directory, unless others still run, or something in it could not be read.
func (h *harvest) leave() error {
	all, err := h.boxes()
	if err != nil {
		return err
	}
	if h.running.children == "none" {
		for pid, list := range all {
			if pid != h.pid {
				h.removeAll(list)
				delete(all, pid)
			}
		}
	}
	if h.alive > 0 {
		return nil
	}
	if err := os.Remove(filepath.Join(h.dir, wanted)); err != nil || len(all) > 0 {
		return err
	}
	return os.Remove(h.dir)
}

// note says what the user may not expect.
func (h *harvest) note() {
	if h.executed != "" {
		h.notes = append(h.notes, fmt.Sprintf("it then executed %s, which is not recorded: what follows is from before", h.executed))
	}
	if h.alive > 0 {
		h.notes = append(h.notes, fmt.Sprintf("when what still runs has ended (%s), cgoheap recover %s writes the rest of the profiles", report.Count(int64(h.alive), "process"), h.dir))
	}
	if named := h.running.children; named != "none" && named != "all" && len(h.children) == 0 && h.alive == 0 {
		h.notes = append(h.notes, fmt.Sprintf("of the processes that the program started, none was recorded as %s", strings.ReplaceAll(named, ",", " or ")))
	}
}
