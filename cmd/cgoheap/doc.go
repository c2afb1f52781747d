// Command cgoheap shows who holds the memory of a process, native memory above all: of a program that it runs, of a service, of a process
// from outside, of one that was killed, and of profiles.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap@latest -h
//
// commands.go has the table of its commands, of which the usage text, the help of each (-h), the completion for shells and docs/command.md are
// made. source.go says what a name on the command line stands for, and reads the profile of any of them, for all commands. view.go
// and the files named after it serve the page of internal/page. run.go starts a program with the library of internal/preload, harvest_linux.go
// reads the boxes that it leaves, and summary.go is what is printed of them.
//
// It needs no cgo: CGO_ENABLED=0 makes it one static file.
package main
