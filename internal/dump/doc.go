// Package dump writes profiles to files: when a signal arrives, or when memory reaches a mark.
//
//	signal   noted on its way, or by os/signal ─┐
//	                                            ├─► task ─► Write into a temporary file ─► rename ─► remove the oldest
//	timer    a measure of memory met its mark ──┘
//
// No goroutine waits: a signal that cgo can catch, and the timer of the levels, start a task, which has a goroutine only
// while it works. Other signals come through os/signal, which takes a goroutine.
//
// Growth that lasts is a mark, too: rate.go says what that is.
//
// A dump is complete or absent: it is written under a temporary name and renamed. Its name holds the program, the process,
// the time and a number, so every process that writes into a directory orders the dumps alike, and none removes a dump that
// another has just written.
//
// The caller supplies the content: the package only has a function that writes a profile.
package dump
