// Command guest is a plugin, which package plugged opens. Its Go code lets C allocate while it is opened, when it is called,
// and in callbacks from C, also through Go code of the program, and on goroutine stacks that have moved meanwhile.
package main
