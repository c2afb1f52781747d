package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// usage is what the process holds: memory, files and threads.
type usage struct {
	rss            int64 // bytes
	files, threads int
}

func used() (u usage, err error) {
	debug.FreeOSMemory() // memory that Go's heap keeps for later is not growth
	var pages, resident int64
	statm, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(statm), &pages, &resident)
	}
	files, filesErr := os.ReadDir("/proc/self/fd")
	threads, threadsErr := os.ReadDir("/proc/self/task")
	for _, other := range []error{filesErr, threadsErr} {
		if err == nil {
			err = other
		}
	}
	return usage{resident * int64(os.Getpagesize()), len(files), len(threads)}, err
}

// Growth that is allowed: the heap's fragments, and threads that the runtime makes when others are in C.
const (
	smallGrowth = 24 << 20
	fewFiles    = 4
	fewThreads  = 12
)

// grown returns an error if a later usage is larger than the allowed growth explains.
func (u usage) grown(later usage) error {
	if later.rss > u.rss+smallGrowth || later.files > u.files+fewFiles || later.threads > u.threads+fewThreads {
		return fmt.Errorf("memory, files or threads grew: %+v became %+v", u, later)
	}
	return nil
}

// amid returns a usage with what a storm of that length may add, which loads libraries at new addresses again and again: their stacks
// are kept, and malloc's arenas fill with fragments. Without any copies or dumps, a storm of 100 s took 19 MB.
func (u usage) amid(length time.Duration) usage {
	const each = 32 << 10 // bytes a second
	u.rss += each * int64(length.Seconds())
	return u
}

func (u usage) String() string {
	return fmt.Sprintf("%.1f MB, %d files, %d threads", float64(u.rss)/1e6, u.files, u.threads)
}
