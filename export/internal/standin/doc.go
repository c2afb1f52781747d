// Package standin has what stands in, in tests, for the profiler and for the servers: a profiler that needs no cgo and
// writes what can be told apart, and servers that keep what they are sent and answer what a test wants.
//
// What was sent is decoded field by field (Message), not with the messages that the other side encoded it with.
package standin
