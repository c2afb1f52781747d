//go:build linux && cgo

// Command matrix builds the program core in each way that a service is built, runs it on each kind of host that this
// machine can be, and prints a table: the row, what it was built with, and whether it recorded everything exactly, or
// refused for the reason that is expected. A row that cannot be tried here says what it lacks; one that fails makes the
// command fail. Its arguments are parts of names: only those rows are run then.
//
// A row is a build and a host (rows.go). To add a platform, add a build with its compiler and, where an emulator runs
// it, a host that puts the emulator before the program.
package main
