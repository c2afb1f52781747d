//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Ask is what a twin shall find.
type Ask struct {
	Reach, Pinned bool            // what is wanted: what points to each block, and what each pins
	Apart         []account.Range // memory that holds nothing, ascending
	Variables     []account.Range // of the program's Go code, ascending: the twin follows them to name what keeps Go's objects; none: it names nothing
	StackRoom     int             // how many stacks there will be at most
	Malloc        malloc.Heaps
	Go            gospans.Layout
	Kernel        usage.Kernel
	Deadline      time.Duration          // from the copy on; 0 means a minute
	Ended         <-chan struct{}        // nobody waits for the copy any more once it is closed; may be nil
	Stacks        func() []account.Stack // of the threads that libc knows; called right before and right after the copy is made
}

const usualDeadline = time.Minute

// one is full while a copy is made or looks.
var one = make(chan struct{}, 1)

var errEnded = errors.New("nobody waits for it any more")

// Acquire waits until no other copy looks, or ended is closed. release must be called once the copy has looked.
func Acquire(ended <-chan struct{}) (release func(), err error) {
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ended:
		return nil, errEnded
	}
}

// made is called with a copy's process ID before it looks. Tests set it.
var made func(pid int)

// Look makes the twin and waits for its end. An error says why nothing was found; nothing else has changed then. The caller must have
// acquired the right to.
func Look(w *Shared, a *Ask) (r Report, err error) {
	runtime.LockOSThread() // the copy ends with the thread
	defer runtime.UnlockOSThread()
	room := newRoom(a.Kernel)
	n, err := needOf(a.Kernel, w.size())
	if err == nil {
		err = room.check(n)
	}
	if err == nil {
		err = a.Kernel.ChildrenStay()
	}
	if err == nil {
		err = harm(a.Kernel, running())
	}
	if err != nil {
		return r, fmt.Errorf("no copy of the process was made: %w", err)
	}
	before := stacksNow(a.Kernel, a.Stacks())
	elsewhere := others(before)
	watched := epollWords(a.Kernel, nil)
	mapped, err := list(a.Kernel.Path("maps"))
	if err != nil {
		return r, err
	}
	begun := time.Now()
	pid, err := w.start()
	r.Pause = time.Since(begun)
	if err != nil {
		return r, fmt.Errorf("no copy of the process can be made, the kernel refuses the call clone: %w", err)
	}
	c := &copied{pid: pid, begun: begun, limit: cmp.Or(a.Deadline, usualDeadline), ended: a.Ended, room: room}
	faults := minorFaults()
	err = c.open(a.Kernel)
	defer c.close() // not before the copy has ended: it uses the same descriptors
	if err == nil {
		err = c.check(a.Kernel)
	}
	if err == nil && made != nil {
		made(pid)
	}
	if err == nil {
		r.Unread, err = c.unread(a.Kernel, mapped, a.Apart)
	}
	if err == nil {
		data := openData(a.Kernel)
		defer data.close() // as with the copy's own files
		var m moment
		m, r.Ran = stayed(before, stacksNow(a.Kernel, a.Stacks()), elsewhere)
		m.Data = data.ranges
		watched = epollWords(a.Kernel, watched) // whatever was taken away meanwhile, or came
		m.Epoll = watched
		w.ready(c.maps, c.pagemap, c.origin, c.memory, m)
		clear(before)
		clear(m.Registers)
		clear(watched)
		for _, words := range elsewhere {
			clear(words)
		}
		err = c.wait()
	} else if how := c.end(); how != nil { // the files of one that has ended cannot be read
		err = how
	}
	r.Took, r.Busy = time.Since(begun), c.busy
	r.Copied = (minorFaults() - faults) * int64(os.Getpagesize())
	if failed := w.report(&r); err == nil {
		err = failed
	}
	if err != nil {
		return r, fmt.Errorf("the copy of the process found nothing: %w", err)
	}
	return r, nil
}

// minorFaults counts the process's page faults that read nothing from a disk.
func minorFaults() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Minflt
}

// copied is a copy of the process.
type copied struct {
	pid   int
	begun time.Time
	limit time.Duration
	ended <-chan struct{}
	room  *room

	busy time.Duration // processor time that it has taken, once it is gone

	maps, pagemap, memory *os.File // of the copy
	origin                *os.File // the process's pagemap
}

// open opens the files that the copy reads.
func (c *copied) open(k usage.Kernel) (err error) {
	dir, err := k.Child(c.pid)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		to   **os.File
		path string
	}{{&c.maps, dir + "/maps"}, {&c.pagemap, dir + "/pagemap"}, {&c.memory, dir + "/mem"}, {&c.origin, k.Path("pagemap")}} {
		if *f.to, err = descriptor.Open(f.path); errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("its files may not be read, because the process has dropped or been given privileges (PR_SET_DUMPABLE), or tracing is "+
				"forbidden (kernel.yama.ptrace_scope): %w", err)
		} else if err != nil {
			return err
		}
	}
	c.yield(dir)
	return nil
}

// check returns an error if the copy has private huge pages, which the program may have mapped right before it was made.
func (c *copied) check(k usage.Kernel) error {
	dir, err := k.Child(c.pid)
	if err == nil {
		err = hugePages(dir)
	}
	return err
}

// unread is unreadOf for this copy.
func (c *copied) unread(k usage.Kernel, before []listed, apart []account.Range) (Unread, error) {
	dir, err := k.Child(c.pid)
	if err != nil {
		return Unread{}, err
	}
	return unreadOf(k, dir, before, apart)
}

// lower is how much nicer the copy is: of a processor that one other thread wants as well it gets a quarter. At the lowest
// priority it got one in seventy, and beside many threads it was not ready within a minute; while it lives, the process copies the
// pages that it writes to, and that costs more.
const lower = 5

// yield has the copy run less than others do, and be killed before anybody else. That it may not is no reason to give up.
func (c *copied) yield(dir string) {
	if usual, err := unix.Getpriority(unix.PRIO_PROCESS, c.pid); err == nil { // 20 less nice
		_ = unix.Setpriority(unix.PRIO_PROCESS, c.pid, min(20-usual+lower, 19))
	}
	_ = os.WriteFile(dir+"/oom_score_adj", []byte("1000"), 0)
}

func (c *copied) close() {
	for _, f := range []*os.File{c.maps, c.pagemap, c.memory, c.origin} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// wait waits until the copy has ended, and ends it at the deadline or if memory becomes scarce.
func (c *copied) wait() error {
	pause := 500 * time.Microsecond
	for {
		gone, err := c.gone()
		if gone {
			return err
		}
		if time.Since(c.begun) > c.limit {
			_ = c.end()
			return fmt.Errorf("it had not ended after %v, for which the machine may be too busy, or the memory too much", c.limit)
		}
		if left, of, err := c.room.left(); err != nil || left < roomReserved {
			_ = c.end()
			return fmt.Errorf("memory became scarce: %s had %s left (%w)", of, size(left), err)
		}
		select {
		case <-c.ended:
			_ = c.end()
			return errors.New("it is not needed any more")
		case <-time.After(pause):
		}
		pause = min(2*pause, 10*time.Millisecond)
	}
}

// gone reports whether the copy has ended, and how, if not by itself.
func (c *copied) gone() (bool, error) {
	var status unix.WaitStatus
	var used unix.Rusage
	pid, err := unix.Wait4(c.pid, &status, unix.WNOHANG|unix.WALL, &used)
	c.busy = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	switch {
	case errors.Is(err, unix.EINTR) || err == nil && pid == 0:
		return false, nil
	case err != nil:
		return true, nil // the program waits for all children of any kind, and this was one: what it found says whether it was done
	case status.Signaled():
		return true, endedBy(status.Signal())
	}
	return true, nil
}

// endedBy is the signal that ended a copy.
type endedBy unix.Signal

func (e endedBy) Error() string { return fmt.Sprintf("signal %v ended it", unix.Signal(e)) }

// patience is how long end waits. A copy that was killed goes as soon as it runs, unless the kernel waits for a disk on its behalf.
const patience = 10 * time.Second

// end ends the copy and waits until it is gone. If the kernel does not let it go, it goes later, and stays in the list of processes.
// The error says how the copy had ended before, if by another signal.
func (c *copied) end() error {
	_ = unix.Kill(c.pid, unix.SIGKILL)
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(100 * time.Microsecond) {
		if gone, err := c.gone(); gone && !errors.Is(err, endedBy(unix.SIGKILL)) {
			return err
		} else if gone {
			return nil
		}
	}
	return nil
}
