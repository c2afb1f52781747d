// Package remote reads what another process has recorded, without its help: one that hangs, is stopped, or does not serve its
// profile.
//
//	/proc/PID/maps ─► where the region is ─┐
//	                       stop its threads ─► copy the region ─► let them go on
//	/proc/PID/maps, files ─► modules ──────────────────────────────────┴─► samples ─► names ─► a profile
//
// The threads are stopped only while the region is copied, some tens of milliseconds, by ptrace; so the copy is of one moment. Threads
// that are stopped already, by SIGSTOP or a debugger, are left as they are. Nothing is written to the process, and it takes no
// memory of it: pages that it has not touched are not read, and a box is read from its file. A segment of shared memory is the exception: of
// its pages the kernel does not tell which were swapped out, so all that may be used are read, and are there from then on.
//
// A process with a black box is read without any of that, by who may read the file: as it was at its end (box.go), or, while it lives, when it
// last settled its tables (living.go).
//
// For a profile of RSS (resident.go), its pages are looked up in the same stop, about 5 ms for a GiB more.
//
// The process may be hostile: the region is read as package tables reads any, and files as package symbolize does.
//
// What a process knows only outside the region is missing: the counters that its Go code keeps, what its allocators count, and Go's own
// heap unless the flight recorder has noted it.
package remote
