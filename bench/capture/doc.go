// Command capture measures what recording costs a program, next to the same program without cgoheap and to other
// profilers:
//
//	go run ./capture                      # in bench/; all contests
//	go run ./capture -only sampling       # contests whose name begins with this
//
// Each contest is a few contenders: commands that do the same work and print what it took. In each round all are started,
// and take turns at short segments of the work, so that other work on the machine affects all alike; the lower quartile of
// the segments counts for the round. Each is a process of its own, so that a profiler that is preloaded or set by an
// environment variable can take part, and each round starts new processes, because blocks and stacks are placed by chance. A
// contender prints the time of the work alone, by its own clock. Most contests compare the processor time of the slowest
// thread, which other processes disturb least; contests whose threads wait for each other compare the wall clock.
//
// Work that is not pairs of malloc and free (walks, dumps, the service, large blocks, memory) is run whole instead, one
// contender after the other.
//
// A line of the table has the medians of the rounds, the median of the rounds' ratios, the ratio of the minima, and the
// spread of the ratio: half of the distance between its quartiles, as a share of it. If the contest has a target, the line
// reports whether the ratio reaches it, and whether noise alone may be why: the spread, and the effect of where code lies in
// memory, which is the same in all rounds.
//
// The work (load): each thread replaces one block of 4096, chosen at random, by another of 16 to 512 bytes, and reaches
// malloc through 17 frames in a program of C, and in one of Go through 14 of C and 10 of Go. In most contests each
// allocation goes down through nine of these calls; where a line says "tight loop", the loop itself is at the bottom of
// them, and malloc and free are nearly all there is.
//
// Contenders that are not installed are left out, with a sentence on standard error.
package main
