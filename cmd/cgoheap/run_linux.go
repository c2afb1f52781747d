package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
	kernel "github.com/cgoheap/cgoheap/internal/usage"
)

// run returns the program's exit code, or 128 and the number of the signal that ended it.
func (r *running) run(s *streams, names []string) (code int, err error) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, slices.DeleteFunc(slices.Clone(forwarded), signal.Ignored)...)
	defer signal.Stop(signals)
	program, library, err := r.find(s, names[0])
	if len(signals) > 0 { // a key of the terminal has ended the compiler, too
		return r.endBy(<-signals), nil
	}
	if err != nil {
		return exitUnreadable, err
	}
	dir, err := r.makeDirectory()
	if err != nil {
		return exitUnreadable, err
	}
	h := &harvest{running: r, dir: dir}
	look, endLive := h.look, func() {}
	if to, ok := s.progress.(*os.File); ok && r.live && terminal.Is(to) {
		r.settle = true
		look, endLive = h.withLive(program, to)
	}
	h.segment = r.makeSegment()
	c := &exec.Cmd{Path: program, Args: names, Env: r.environment(library, dir, h.segment), Stdin: s.in, Stdout: s.raw, Stderr: s.progress}
	end, err := h.await(c, signals, look)
	endLive()
	if err != nil {
		return exitUnreadable, errors.Join(fmt.Errorf("%s cannot be started: %w", names[0], err), os.Remove(dir))
	}
	by, err := h.attend(s.trouble, signals, end, func() error {
		return terminal.Progress(s.progress, "reading the tables and their names", func() error {
			<-h.looked
			return h.finish(end)
		})
	})
	if by != nil {
		return r.endBy(by), err
	}
	for _, note := range h.notes {
		fmt.Fprintf(s.trouble, "cgoheap run: %s\n", note)
	}
	for _, trouble := range h.troubles {
		fmt.Fprintf(s.trouble, "cgoheap run: %v\n", trouble)
	}
	if err == nil && r.report != "" {
		if failed := r.writeReport(h.own); failed != nil {
			h.troubles = append(h.troubles, failed)
			fmt.Fprintf(s.trouble, "cgoheap run: the report: %v\n", failed)
		} else {
			h.own.Report = r.report
		}
	}
	if err == nil {
		err = h.own.tell(s.trouble, r.asJSON)
	}
	if err != nil {
		fmt.Fprintf(s.trouble, "cgoheap run: %v\n", err)
	}
	if (err != nil || len(h.troubles) > 0) && end.code == 0 {
		return exitUnreadable, nil
	}
	signal.Stop(signals) // what has come is in the channel then
	for len(signals) > 0 {
		h.typed = isTyped(<-signals) || h.typed
	}
	if h.typed && end.signal == unix.SIGINT {
		return r.endBy(unix.SIGINT), nil
	}
	return end.code, nil
}

// endBy returns the exit code for a signal. One that was typed ends this process itself, because a shell ends its script only then.
func (r *running) endBy(s os.Signal) (code int) {
	number, _ := s.(syscall.Signal)
	if number == unix.SIGINT && isTyped(s) {
		signal.Reset(s)
		_ = unix.Kill(unix.Getpid(), number)
		time.Sleep(time.Second) // until it comes
	}
	return 128 + int(number)
}

// attend returns the error of do. The first signal that asks this process to end meanwhile is answered; a second one removes the tables, and
// is returned: then do may still run.
func (h *harvest) attend(trouble io.Writer, signals <-chan os.Signal, end ending, do func() error) (by os.Signal, err error) {
	done := make(chan error, 1)
	go background.Run("reading the tables", func() { done <- do() }, func(err error) { done <- err })
	for asked := false; ; {
		select {
		case err := <-done:
			return nil, err
		case sent := <-signals:
			if sent == unix.SIGUSR1 || sent == unix.SIGUSR2 {
				continue // they were for the program
			}
			if !h.typed && sent == end.signal && isTyped(sent) {
				h.typed = true // the program's end was noticed before the key
				continue
			}
			if asked {
				return sent, os.RemoveAll(h.dir)
			}
			asked = true
			fmt.Fprintf(trouble, "cgoheap run: the program has ended, and its tables are being read: another signal removes them\n")
		}
	}
}

// ending is what is known of the program's end.
type ending struct {
	pid, code int
	signal    syscall.Signal // that ended it; otherwise 0
	how       string
	seconds   float64
	resident  int64 // bytes, of the largest process; 0 if that is not known
}

// forwarded are the signals that are passed on to the program, but for those that this process was started to ignore.
var forwarded = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

// await runs the program to its end, passes signals on, and calls look each second. The last call may still run then, until h.looked is
// closed. The error is that of a start that failed.
func (h *harvest) await(c *exec.Cmd, signals <-chan os.Signal, look func()) (ending, error) {
	_, kills, killsErr := kernel.Running.Kills()
	own := peakResident() // which the kernel counts as the program's, from before it was executed
	begin := time.Now()
	if err := c.Start(); err != nil {
		return ending{}, err
	}
	h.pid = c.Process.Pid
	ended := make(chan struct{})
	var seconds float64
	go background.Run("waiting for the program", func() {
		defer close(ended)
		_ = c.Wait() // its state says how it ended
		seconds = time.Since(begin).Seconds()
	}, nil)
	h.lookUntil(ended, look)
	for {
		select {
		case sent := <-signals:
			h.pass(c, sent)
		case <-ended:
			for len(signals) > 0 {
				h.pass(c, <-signals)
			}
			end := endingOf(c)
			end.seconds = seconds
			if end.resident <= own {
				end.resident = 0
			}
			if _, now, err := kernel.Running.Kills(); killsErr == nil && err == nil && now > kills && end.code == 128+int(unix.SIGKILL) {
				end.how = fmt.Sprintf("was killed by the kernel, because its control group was out of memory (%s in the group)", report.Count(now-kills, "kill"))
			}
			return end, nil
		}
	}
}

// lookUntil calls look each second until the program has ended, and then closes h.looked. A look may take longer than signals can wait.
func (h *harvest) lookUntil(ended <-chan struct{}, look func()) {
	h.looked = make(chan struct{})
	go background.Run("looking for children", func() {
		defer close(h.looked)
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				look()
			case <-ended:
				return
			}
		}
	}, nil)
}

// pass passes a signal on to the program, unless the terminal has done that.
func (h *harvest) pass(c *exec.Cmd, sent os.Signal) {
	if isTyped(sent) {
		h.typed = true
		return
	}
	_ = c.Process.Signal(sent) // it may have ended
}

// isTyped reports whether a signal was most likely made by a key of the terminal, which the program then got as well.
func isTyped(s os.Signal) bool {
	if s != unix.SIGINT && s != unix.SIGQUIT {
		return false
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func endingOf(c *exec.Cmd) ending {
	end := ending{pid: c.Process.Pid, how: fmt.Sprintf("exited with status %d", c.ProcessState.ExitCode()), code: c.ProcessState.ExitCode()}
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		end.signal = s.Signal()
		end.code = 128 + int(end.signal)
		end.how = fmt.Sprintf("was killed by signal %d (%v)", int(s.Signal()), s.Signal())
		if slices.Contains([]syscall.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGABRT, unix.SIGILL, unix.SIGFPE, unix.SIGTRAP, unix.SIGSYS}, s.Signal()) {
			end.how = fmt.Sprintf("crashed with signal %d (%v)", int(s.Signal()), s.Signal())
		}
	}
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		end.resident = u.Maxrss << 10
	}
	return end
}

// peakResident returns the most bytes that were ever resident of this process.
func peakResident() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}

// makeSegment makes shared memory for the program's tables. Each event then costs a fourth, because no page of it can be missing as one of a
// file can. Where little is recorded that is nothing, and so is the command's end, with which the memory goes. Nor has it a path, by which others
// could read it. It is nil where a file serves, or must.
func (r *running) makeSegment() *blackbox.Segment {
	if r.sample != 1 || r.settle || r.tables != "" {
		return nil
	}
	s, err := blackbox.NewSegment(exactTableBytes)
	if err != nil {
		return nil
	}
	return s
}

const leastRoom = 8 << 20 // that a directory for tables must have

// makeDirectory makes the directory of the boxes, which only its owner may enter.
func (r *running) makeDirectory() (string, error) {
	candidates := []string{"/dev/shm", os.Getenv("XDG_RUNTIME_DIR"), "/run", os.TempDir()}
	if r.tables != "" {
		candidates = []string{r.tables}
	}
	var first error
	for _, dir := range candidates {
		if dir == "" {
			continue
		}
		made, err := makeIn(dir)
		if err == nil {
			return made, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", fmt.Errorf("there is no room for the tables: %w; name another directory in memory (a tmpfs) with -tables", first)
}

func makeIn(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := blackbox.InMemory(dir); err != nil {
		return "", err
	}
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if free := int64(s.Bavail) * s.Bsize; s.Blocks > 0 && free < leastRoom { // without a bound, there are no blocks
		return "", fmt.Errorf("%s has only %s free", dir, report.Bytes(free))
	}
	return os.MkdirTemp(dir, "cgoheap-run-")
}
