// Package descriptor opens files in a process whose descriptors are the program's.
//
// A program that has closed 0, 1 or 2 still writes its messages there, so nothing is opened at these numbers. And nothing begins to use
// Go's poller, as package os does with each file: the poller has descriptors of its own, and a program that closes all its descriptors
// when main begins would be ended by Go if they were among them. And nothing that is written sends the program a signal.
package descriptor
