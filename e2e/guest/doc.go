//go:build linux && cgo

// Command guest is a plugin, which package plugged opens. Its Go code has C allocate while it is opened, when it is called, and
// in callbacks from C; then also through Go code of the program, and on goroutine stacks that have moved meanwhile.
package main
