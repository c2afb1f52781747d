// Package message passes what the profiler reports to the program's logger, and keeps it from ending the program. A logger mostly
// writes to standard output or standard error. If nobody reads these any more, Go ends the program at the next write: the program
// may never write one itself.
//
//	the default logger, as it is at first   its line is written here, by a call of the kernel's that fails
//	any other logger                        if an output is broken, the program waits for SIGPIPE while the logger writes
//
// Waiting is not for all: it costs a goroutine and a thread that stay.
package message
