//go:build linux

package main

// #include "delays.h"
import "C"

import (
	"fmt"
	"time"
)

// delay is how long a call took, on the wall and without the time in which another had the processor.
type delay struct{ wall, kept float64 }

// delays prints three lines for each dump: the nanoseconds of the longest malloc or free of so many threads, while
// another one just keeps a processor busy for as long; the same during a dump; and the dump's nanoseconds and the bytes by which
// the process grew at most meanwhile.
func delays(r recording, dumps, threads int) error {
	watched(threads, func() { busy(time.Second / 10) }) // the threads' own memory, and what is recorded of them, is there
	for range dumps {
		before, err := resetPeak()
		if err != nil {
			return err
		}
		start := time.Now()
		var took time.Duration
		during := watched(threads, func() {
			start = time.Now()
			err = r.dump()
			took = time.Since(start)
		})
		if err != nil {
			return err
		}
		peak, err := status("VmHWM")
		if err != nil {
			return err
		}
		quiet := watched(threads, func() { busy(took) })
		fmt.Printf("%.0f %.0f\n%.0f %.0f\n%d %d\n", quiet.wall, quiet.kept, during.wall, during.kept, took, peak-before)
	}
	return nil
}

var spun int

// busy keeps a processor for so long.
func busy(d time.Duration) {
	start := time.Now()
	for n := 0; time.Since(start) < d; n++ {
		spun = n
	}
}

// watched is the longest delay of so many threads that allocate while do runs.
func watched(threads int, do func()) (longest delay) {
	C.delays_begin()
	results := make(chan delay)
	for i := range threads {
		go func() {
			f := C.delays_run(C.uint64_t(i + 1))
			results <- delay{float64(f.wall), float64(f.kept)}
		}()
	}
	time.Sleep(20 * time.Millisecond) // they have begun
	do()
	C.delays_end()
	for range threads {
		f := <-results
		longest = delay{max(longest.wall, f.wall), max(longest.kept, f.kept)}
	}
	return longest
}
