// Command mappings measures what recording adds to a call of mmap and to one of munmap. In bench/:
//
//	go run ./mappings
//
// A pair maps a page and unmaps it, below 14 frames of C without frame pointers and some of Go. The same pair is made by system
// calls of its own, which no hook sees, in turns of some milliseconds with the other. So other work on the machine, and what the kernel takes
// for its part, affect both alike. What is added is the median of the turns' differences.
package main
