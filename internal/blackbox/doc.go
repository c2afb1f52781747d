// Package blackbox keeps the profiler's tables in a file, so that they are still there after the process was killed.
//
//	Create ─► a file in a directory in memory, locked, mapped ─► the region lies in it ─► Remove, at an orderly end
//	                         └─ the process is killed: the kernel releases the lock
//	Open   ─► the file of a process that is gone, locked by the one that recovers it
//	Look   ─► the file of any process, for one who only reads it
//
// No thread of the program waits for a disk: Create refuses a directory that lies on one. What a directory costs that does not answer
// at all, as that of a network file system may be, is a thread, and patience.
//
// The lock is that of an open file description (F_OFD_SETLK), of the whole file. The kernel knows it across containers that share the
// directory, whatever the numbers of their processes, and keeps it as long as anybody has the file open or mapped: also if the process
// closes all its files. So the process keeps no descriptor of it: whatever number that had, the program could close it, and open a
// file of its own there. A child that was forked and does not run another program has it too: until that ends, the file is left alone.
//
// Segment is memory that takes a file's place where one process starts another and waits for its end: decision 0045.
//
// What lies in a directory is not trusted: others may have put it there. Links and files that are not regular are not opened, nor are
// those of other users, except by a command that root runs (Options.AnyUsers). Look changes nothing, and opens what a person has named.
package blackbox
