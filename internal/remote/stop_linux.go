package remote

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// stop stops all threads of a process that are not stopped already, and returns the function that lets them go on. Both must run on
// one thread, which the kernel knows as the tracer.
func stop(dir string) (resume func(), err error) {
	runtime.LockOSThread()
	var all []*held
	resume = func() {
		for _, h := range all {
			h.release()
		}
		runtime.UnlockOSThread()
	}
	defer func() {
		if err != nil {
			resume()
		}
	}()
	known := make(map[int]bool)
	for { // threads that run may create others
		threads, err := threadsOf(dir)
		if err != nil {
			return nil, err
		}
		first := len(all)
		for _, thread := range threads {
			if known[thread] {
				continue
			}
			known[thread] = true
			h, err := hold(dir, thread)
			if h != nil {
				all = append(all, h)
			}
			if err != nil {
				return nil, err
			}
		}
		if len(all) == first {
			return resume, nil
		}
		for _, h := range all[first:] { // on a busy machine each has to get a processor first, to stop
			if err := h.await(dir); err != nil {
				return nil, err
			}
		}
	}
}

func threadsOf(dir string) (list []int, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if thread, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, thread)
		}
	}
	return list, nil
}

// held is a thread that is stopped by this one.
type held struct {
	thread int
	signal unix.Signal // that it was about to take when it stopped; 0 for none
}

// release lets the thread go on, and take its signal.
func (h *held) release() {
	_, _, _ = unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(h.thread), 0, uintptr(h.signal), 0, 0) // it may have ended
}

// hold tells a thread to stop. It returns nil if that was stopped already, or has ended.
func hold(dir string, thread int) (*held, error) {
	if s := stateOf(dir, thread); s == 'T' || s == 't' || s == 'Z' || s == 'X' || s == 0 {
		return nil, nil
	}
	err := unix.PtraceSeize(thread)
	if errors.Is(err, unix.ESRCH) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("stopping thread %d: %w", thread, err)
	}
	h := &held{thread: thread}
	if err := unix.PtraceInterrupt(thread); err != nil && !errors.Is(err, unix.ESRCH) {
		return h, fmt.Errorf("stopping thread %d: %w", thread, err)
	}
	return h, nil
}

// patience bounds the wait for a thread to stop. One that the kernel holds, as for a disk, runs no code of the program either.
const patience = time.Second

func (h *held) await(dir string) error {
	for begin := time.Now(); ; time.Sleep(100 * time.Microsecond) {
		var status unix.WaitStatus
		waited, err := unix.Wait4(h.thread, &status, unix.WALL|unix.WNOHANG, nil)
		if waited == h.thread && status.Stopped() && uint32(status)>>16 == 0 { // else it stopped for this one alone
			h.signal = status.StopSignal()
		}
		if waited == h.thread || errors.Is(err, unix.ECHILD) {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("waiting for thread %d: %w", h.thread, err)
		}
		if s := stateOf(dir, h.thread); time.Since(begin) > patience {
			if s == 'D' {
				return nil
			}
			return fmt.Errorf("thread %d does not stop; its state is %c", h.thread, s)
		}
	}
}

// stateOf returns the state of a thread as in proc(5), 0 if there is no such thread.
func stateOf(dir string, thread int) byte {
	text, err := descriptor.ReadFile(filepath.Join(dir, "task", strconv.Itoa(thread), "stat"))
	if err != nil {
		return 0
	}
	if i := bytes.LastIndexByte(text, ')'); i >= 0 && i+2 < len(text) {
		return text[i+2]
	}
	return 0
}
