// Command cgoheap writes the profile of a process without its help, and checks profiles.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap dump PID
//
// writes cgoheap.PID.pb.gz: the profile of a process that records, in use or another view, from outside; the process may hang,
// be stopped, or serve no profile. Its threads stand still while its tables are copied, some tens of milliseconds. Names come
// from its files, which are found in its own file system, and from debug files by build ID. As a debugger, it needs the same
// user or CAP_SYS_PTRACE. With the path of a core file in place of PID, it reads that. What the profile says in its comments is
// missing: Go's own heap, and memory that was mapped directly.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap check FILE...
//
// lists what readers of pprof profiles will refuse, misread or accept with a warning. It prints a line for each rule that a file
// breaks, with the first part of the profile that breaks it. "-" is standard input:
//
//	$ curl -s http://HOST/debug/pprof/heap | cgoheap check -
//	-: warning label-name: sample[3].label[0] "job-name": the key is not letters, digits, '_' and '.': ...
//
// The exit code is 0 if there are no errors (warnings do not count), 1 if a profile has an error, and 2 if something could not be
// read or is not a profile. The rules are in package internal/check.
package main
