// Package remote reads what another process has recorded, without its help: one that hangs, is stopped, or does not serve its
// profile.
//
//	/proc/PID/maps ─► where the region is ─┐
//	                       stop its threads ─► copy the region ─► let them go on
//	/proc/PID/maps, files ─► modules ──────────────────────────────────┴─► samples ─► names ─► a profile
//
// The threads are stopped only while the region is copied, some tens of milliseconds, by ptrace; so the copy is of one moment. Threads
// that are stopped already, by SIGSTOP or a debugger, are left as they are. Nothing is written to the process, and it takes no
// memory of it: pages that it has not touched are not read.
//
// The process may be hostile: the region is read as package tables reads any, and files as package symbolize does.
//
// What a process knows only outside the region is missing: Go's own heap, the account of RSS, and the counters that its Go code
// keeps.
package remote
