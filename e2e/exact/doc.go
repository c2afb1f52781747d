// Command exact allocates known amounts at known sites while every allocation is recorded, and writes both what the profiler
// saw and what it knows itself.
//
// A site is visited through every entrance: main's goroutine, several goroutines at once, callbacks from C, threads that
// Go did not create. Sizes differ by site and counts by entrance, so that no mix-up goes unseen. Unless -free is given,
// every other block stays allocated.
package main
