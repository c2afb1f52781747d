//go:build linux

package main

// #include "delays.h"
import "C"

import (
	"fmt"
	"time"
)

// delays prints three lines for each dump: the nanoseconds of the longest malloc or free of two threads, while a third
// one just keeps a processor busy for as long; the same during a dump; and the dump's nanoseconds and the bytes by which
// the process grew at most meanwhile.
func delays(r recording, dumps int) error {
	watched(func() { busy(time.Second / 10) }) // the threads' own memory, and what is recorded of them, is there
	for range dumps {
		before, err := resetPeak()
		if err != nil {
			return err
		}
		start := time.Now()
		var took time.Duration
		during := watched(func() {
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
		quiet := watched(func() { busy(took) })
		fmt.Printf("%.0f %.0f\n%.0f %.0f\n%d %d\n", quiet.wall, quiet.cpu, during.wall, during.cpu, took, peak-before)
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

// watched is the longest delay of two threads that allocate while do runs.
func watched(do func()) figures {
	C.delays_begin()
	results := make(chan figures)
	for i := range 2 {
		go func() {
			f := C.delays_run(C.uint64_t(i + 1))
			results <- figures{float64(f.wall), float64(f.cpu)}
		}()
	}
	time.Sleep(20 * time.Millisecond) // they have begun
	do()
	C.delays_end()
	a, b := <-results, <-results
	return figures{max(a.wall, b.wall), max(a.cpu, b.cpu)}
}
