// Package recovery turns the black boxes of processes that are gone into dumps, with what is known of each end.
//
//	directory ─► boxes, the newest first ─► locked, read ─► orderly end? removed
//	                                          │                └─► cause ─► a dump, and a file beside it: account and timeline ─► removed
//	                                          └─ cannot be read ─► set aside, with the reason
//
// It runs beside the start of a service that may have little memory, so a box is read in place. A box is removed while it is locked,
// after its dump has its name, and the name follows from the box: if this process is killed in between, the next finds the dump and
// only removes the box.
//
// Nothing says how another process ended but to its parent. What the box has noted, and what the kernel still counts, decide: see cause.go.
package recovery
