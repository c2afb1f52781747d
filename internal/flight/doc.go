// Package flight is the flight recorder: once a second it notes what memory the process takes, in a bounded piece of memory that can
// lie in a black box. So the time before a process was killed is there afterwards, and that of a living one can be asked for.
//
//	Sources ─► Recorder ─► Notes: the last hour by seconds │ the last three days by minutes │ Go's heap │ Go's heap, the time before
//	                         └─► Read, in this process or in another
//
// The notes are words at fixed places. A process can be killed between any two stores, so each record has a number, which is stored
// last, and is 0 while the others change: a reader leaves out what has none. Of each minute the second with the most resident memory is
// kept, whole, so that a record is always of one moment.
//
// Go's own heap, as of its last collection, is noted by its largest stacks, once a minute and when memory has grown much; in two places in
// turn, so that one of them is always whole.
//
// What is noted must cost next to nothing: see recorder.go.
package flight
