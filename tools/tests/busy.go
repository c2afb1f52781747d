package main

import "runtime"

// keepBusy has n threads count until the process ends.
func keepBusy(n int) {
	runtime.GOMAXPROCS(n + 2) // the reader needs one too
	for range n {
		go func() {
			runtime.LockOSThread()
			for i := uint64(1); i != 0; {
				i++ // for centuries
			}
		}()
	}
}
