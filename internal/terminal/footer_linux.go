package terminal

import (
	"os"
	"os/signal"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/background"
)

// listen wipes the footer before a key stops this process, and when the terminal gets another size. It does so until the command ends:
// once it was asked for, nobody but this could let SIGTSTP stop the process.
func (f *Footer) listen() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, unix.SIGWINCH)
	if !signal.Ignored(unix.SIGTSTP) {
		signal.Notify(signals, unix.SIGTSTP)
	}
	go background.Run("waiting for the terminal's signals", func() {
		for s := range signals {
			if s == unix.SIGTSTP {
				_ = f.draw(nil, stop) // the terminal may be gone
			} else {
				_ = f.Wipe()
			}
		}
	}, nil)
}

// stop stops this process as SIGTSTP does by default, and returns when it goes on. Where no shell could continue it, nothing stops.
// Go's runtime keeps its handler of a signal that was ever asked for, so the default is put in its place for this.
func stop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var byDefault, before [64]byte // at least the kernel's struct sigaction, in which zeros are the default
	if sigaction(&byDefault, &before) {
		_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGTSTP) // it comes before the call returns
		sigaction(&before, &byDefault)
	}
}

// sigaction replaces the action for SIGTSTP, in the kernel's own form.
func sigaction(now, before *[64]byte) bool {
	const setBytes = 8 // of a set of signals
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGTSTP), uintptr(unsafe.Pointer(now)), uintptr(unsafe.Pointer(before)), setBytes, 0, 0)
	return errno == 0
}

// inForeground reports whether what this process writes is to be on a terminal now. It is not while a shell has it in the background.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp() // a terminal that is not this process's has no such group
}
