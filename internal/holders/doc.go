// Package holders names what holds recorded blocks: the word that was found to point to each.
//
//	found: address of the word, what it lies in, where its chain began
//	  ├► a recorded block ───────► "a block allocated in queue_push", by the block's own stack
//	  └► where the chain began ──► "global sessions (libfoo.so)"              symbol tables, debug files
//	                               "thread-local cache of thread worker-3"    the thread's vector, symbol tables
//	                               "stack of thread worker-3"                 libc's lists of threads
//	                               "stack of goroutine main.(*Server).loop"   the goroutine's first function
//	                               "memory mapped by arena_new"               recorded calls
//	                               "mapping /dev/shm/x", "Go's heap"
//
// A name is for a person, and adds up: all words of an array have one name, and so have all blocks of one stack. The names of
// one program's state are always the same, except where there are too many of them, or no symbols. Blocks that nothing points
// to, and those that were not looked for, have names too, so that a profile's total is what is in use.
//
// Addresses may come by the million, so they are sorted once and compared with sorted ranges. Files are opened one after
// another, once for all addresses in each, and nothing is kept of them but the names. The number of names is bounded.
//
// Deliberately absent: finding the words, which is the twin's; and summing up blocks, which is internal/tables'.
package holders
