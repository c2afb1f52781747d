package main

// #include "delays.h"
import "C"

import (
	"fmt"
	"time"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// delay is how long a call took, by the wall clock and without the time in which another thread had the processor.
type delay struct{ wall, kept float64 }

// delays prints three lines for each dump: the nanoseconds of the longest malloc or free of that many threads, while another
// one just keeps a processor busy for as long; the same during a dump; and the dump's nanoseconds and the bytes by which the
// process grew at most meanwhile.
func delays(r recording, dumps, threads int) error {
	watched(threads, func() { busy(time.Second / 10) }) // afterwards the threads' own memory and their records exist
	for range dumps {
		before, err := usage.Running.ResetPeak()
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
		peak, err := usage.Running.Peak()
		if err != nil {
			return err
		}
		quiet := watched(threads, func() { busy(took) })
		fmt.Printf("%.0f %.0f\n%.0f %.0f\n%d %d\n", quiet.wall, quiet.kept, during.wall, during.kept, took, peak-before)
	}
	return nil
}

var spun int

// busy keeps a processor busy for a time.
func busy(d time.Duration) {
	start := time.Now()
	for n := 0; time.Since(start) < d; n++ {
		spun = n
	}
}

// watched returns the longest delay of that many threads, which allocate while do runs.
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
