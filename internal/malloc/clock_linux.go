package malloc

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns how much processor time the thread has taken, as a time: on a busy machine the look at memory takes longer,
// and sees as much.
func processorTime() time.Time {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return time.Now()
	}
	return time.Unix(t.Unix())
}
