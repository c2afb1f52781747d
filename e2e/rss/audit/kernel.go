package audit

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const rollup = "/proc/self/smaps_rollup"

// rss returns the process's resident bytes, which the kernel counts page by page for this file.
func rss() (int64, error) {
	text, err := os.ReadFile(rollup)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "Rss:" {
			kilobytes, err := strconv.ParseInt(string(fields[1]), 10, 50)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no Rss", rollup)
}

// watch is a thread that asks the kernel for RSS again and again.
type watch struct {
	stop chan struct{}
	done chan watched
}

type watched struct {
	least, most int64
	first, last int64
	worked      time.Duration // the processors' time of the watch itself
	err         error
}

// pace is the time between two questions: each takes about a millisecond, during which the load cannot map memory.
const pace = time.Millisecond

// newWatch returns when the kernel has answered once.
func newWatch() *watch {
	w := &watch{make(chan struct{}), make(chan watched, 1)}
	first := make(chan struct{})
	go w.run(first)
	<-first
	return w
}

func (w *watch) run(first chan struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	n, err := rss()
	seen, begin := watched{least: n, most: n, first: n, err: err}, timeOf(unix.RUSAGE_THREAD)
	close(first)
	for last := false; seen.err == nil && !last; {
		select {
		case <-w.stop:
			last = true
		case <-time.After(pace):
		}
		n, seen.err = rss()
		seen.least, seen.most, seen.last = min(seen.least, n), max(seen.most, n), n
	}
	seen.worked = timeOf(unix.RUSAGE_THREAD) - begin
	w.done <- seen
}

// end asks once more and returns the least and the most of the answers.
func (w *watch) end() watched {
	close(w.stop)
	return <-w.done
}

// timeOf returns the processors' time of the process or of this thread.
func timeOf(who int) time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// pageFaults returns how often the process touched a page that was not mapped. Faults that only make a page writable count as well.
func pageFaults() int64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return u.Minflt + u.Majflt
}
