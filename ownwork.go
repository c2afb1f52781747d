package cgoheap

import (
	"sync/atomic"
	"time"
)

// ownWork counts what the profiler does beside recording.
type ownWork struct {
	accounts, profiles atomic.Int64 // time that they took, in nanoseconds
	dumps, dumpsFailed atomic.Uint64
	lastDump           atomic.Int64 // when the last one was written, in nanoseconds since 1970; 0: never
}

// timed adds the time until the function that it returns is called.
func (*ownWork) timed(to *atomic.Int64) (done func()) {
	begin := time.Now()
	return func() { to.Add(int64(time.Since(begin))) }
}

// dumped counts a dump.
func (o *ownWork) dumped(err error) {
	if err != nil {
		o.dumpsFailed.Add(1)
		return
	}
	o.dumps.Add(1)
	o.lastDump.Store(time.Now().UnixNano())
}
