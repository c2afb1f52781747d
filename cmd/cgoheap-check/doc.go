// Command cgoheap-check says what readers of pprof profiles will refuse, misread or only grudgingly take.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap-check FILE...
//
// It prints a line for each rule that a file breaks, with the first place where it does. "-" is standard input:
//
//	$ curl -s http://HOST/debug/pprof/heap | cgoheap-check -
//	-: warning label-name: sample[3].label[0] "job-name": the key is not letters, digits, '_' and '.': ...
//
// The exit code is 0 if there is nothing but warnings, 1 if there is an error, and 2 if a file could not be read or is no
// profile. The rules are those of package check.
package main
