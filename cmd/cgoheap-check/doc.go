// Command cgoheap-check lists what readers of pprof profiles will refuse, misread or accept with a warning.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap-check FILE...
//
// It prints a line for each rule that a file breaks, with the first part of the profile that breaks it. "-" is standard
// input:
//
//	$ curl -s http://HOST/debug/pprof/heap | cgoheap-check -
//	-: warning label-name: sample[3].label[0] "job-name": the key is not letters, digits, '_' and '.': ...
//
// The exit code is 0 if there are no errors (warnings do not count), 1 if there is an error, and 2 if a file could not be
// read or is not a profile. The rules are in package internal/check.
package main
