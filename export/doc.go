// Package export delivers profiles to a profile server while the program runs: to Pyroscope (package pyroscope) or to
// Parca and Polar Signals (package parca). It is a Go module of its own, so that a user of files and HTTP downloads none of
// it.
//
//	target, err := pyroscope.New(pyroscope.Config{Address: "http://pyroscope:4040", ServiceName: "shop"})
//	if err != nil {
//		return err
//	}
//	exporter, err := export.Start(profiler, target, export.Config{})
//	if err != nil {
//		return err
//	}
//	defer exporter.Stop() // before profiler.Stop
//
// # From the profiler to the server
//
//	author                              queue                            sender
//	every Interval: Profiler.Write ─►   oldest ... newest  ─ oldest ─►   Target.Send
//	excerpts in the target's Form       bounded, drops the oldest ◄───   not arrived: back off, again
//
// Author and sender are goroutines of their own, and only the queue is between them. The author never waits for the server;
// the sender never touches the profiler. No other goroutine of the host takes part.
//
// # What is sent
//
// One profile of one moment: what is in use, and beside it what was allocated since the profile before, or since Start.
// So totals over any span of time are sums, and nothing is counted twice. The next delta begins where the last one ended
// that was put into the queue; one that could not be written is part of the next.
//
// Servers differ in how they want the two; that is the target's Form. Parca takes every profile with a duration for a
// delta, so there they go as two: in use without a duration, allocated with one. Pyroscope takes them in one, which arrives
// as a whole or not at all; it would make a series of each string label of a sample, so there are none unless asked for.
//
// # When it does not arrive
//
//	not reached, 408, 429, 502, 503, 504    again, after 1, 2, 4, ... 30 s, or what Retry-After says,
//	                                        for as long as the queue holds it
//	500 and the like                        the same, but Attempts times: some servers fail on a profile that they dislike
//	any other answer                        never again
//
// Order is kept: a batch waits until the one before it has arrived or was given up. What a server that is away costs is the
// queue: QueueBytes at most, and while a profile is being taken, a few times MaxBytes. What is lost is counted, and the
// last reason of each kind is in Stats.
//
// Nothing here ends or blocks the host: what is not of this package, the profiler and the target, may panic; that is an
// error. Stop has a deadline.
//
// What is deliberately absent: a queue on disk (a profile of an hour ago is not worth the disk of the host), sending the
// same profiles to two servers (start two exporters), and any logging but that profiles do not arrive and do again.
package export
