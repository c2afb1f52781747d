// Package export delivers profiles to a profile server while the program runs: to Pyroscope (package pyroscope), to Parca and
// Polar Signals (package parca), to a collector of OpenTelemetry (the experimental module github.com/cgoheap/cgoheap/otlp), or
// to any other server that takes profiles in one call (package post). It is a separate Go module, so that users of files and
// HTTP need not download its dependencies.
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
//	once: Profiler.Recovered       ─►
//
// Author and sender are two goroutines that share only the queue. The author never waits for the server; the sender never
// touches the profiler. A third ends when it has read what was recovered. No goroutine of the host takes part.
//
// # What is sent
//
// Each profile shows one moment: the memory in use, and beside it what was allocated since the previous profile, or since
// Start. Totals over any span of time are therefore sums, and nothing is counted twice. A delta begins where the last one
// put into the queue ended; a delta that could not be written becomes part of the next.
//
// Servers want the two in different ways: that is the target's Form. Parca reads every profile with a duration as a delta,
// so it gets two profiles: memory in use without a duration, allocations with one. Pyroscope gets both in one profile, which
// arrives whole or not at all. It would make a series of each string label of a sample, so samples have none unless the user
// asks for them.
//
// # When it does not arrive
//
//	not reached, 408, 429, 502, 503, 504    again, after 1, 2, 4, ... 30 s, or what Retry-After says,
//	                                        for as long as the queue holds it
//	500 and the like                        the same, but Attempts times only: some servers fail on a profile that they dislike;
//	                                        never with post.Config.FinalErrors
//	any other answer                        never again
//
// Order is kept: a batch waits until the one before it has arrived or was given up. While a server is away, the exporter
// takes the memory of the queue, QueueBytes at most, and a few times MaxBytes while a profile is being taken. Losses are
// counted, and Stats has the last reason of each kind. The profiler's metrics have the counts, too (docs/metrics.md).
//
// Nothing here ends or blocks the host. A panic in code outside this package, the profiler or the target, becomes an error.
// Stop has a deadline.
//
// # Profiles of processes that died
//
// With Config.BlackBox, the profiler recovers the last profile of a process that was killed. The exporter sends its memory in use,
// with the time of the death and the label recovered="true" in addition to its own labels. What that process had allocated, it
// had sent itself. Config's bounds hold for these profiles too.
//
// Each goes to a server once, also if one exporter is stopped and another started. Profiles of this process go first. A
// recovered one that did not arrive waits until one of this process has arrived, and is sent Attempts times at most. Pyroscope
// refuses profiles older than an hour. The log says so, and names the file in which the profile still is.
//
// What is deliberately absent: a queue on disk (a profile of an hour ago is not worth the disk of the host), sending the
// same profiles to two servers (start two exporters), and logging of anything but that profiles stopped arriving or arrive
// again, and that a recovered profile will not arrive.
package export
