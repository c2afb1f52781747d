// Package background keeps the goroutines of the profiler from its host: there is one only while it has something to do, and
// none can take the host down.
//
// A Task runs a function in a goroutine that starts when it is asked for and ends when nothing more was asked. A panic in
// it becomes an error that is reported, and the next time it is asked for it runs again. Guard does the same for a goroutine
// that others start.
package background
