// Package malloc reports what malloc keeps: memory that the program has freed and the allocator has not returned to the kernel.
//
// Each allocator in the process is asked by the functions that it documents: jemalloc by mallctl, tcmalloc by its
// MallocExtension, mimalloc by mi_process_info, glibc by mallinfo2. musl has no such function, so nothing is known of its
// memory.
//
// glibc's figures lack what matters most: how much of the free memory is resident, and how much of that a trim would return.
// A trim returns whole free pages, and the heaps themselves show which blocks are free:
//
//	arena ─► top, fast bins, next arena              arena.go
//	  └─► its heaps, each a row of chunks            heaps.go
//	        size|in use  size|free  size|in use ...  chunks.go; the kernel reports which are resident: part.go
//
// This layout is not documented, but it has stayed the same since glibc 2.27, and nothing is taken on trust: an arena is
// recognised by the pointers to itself that it is full of, a heap names its arena, the sizes of an arena's heaps must add up
// to the arena's own figure, and the chunks of a heap must lead from its start exactly to its end. If one of these checks
// fails, the figure is unknown, with the reason. Memory is copied by the kernel, which returns an error where a load would
// fault, and only from resident pages: looking at memory makes none of it resident. No lock is taken, except by mallinfo2, which is
// called if a check fails, by a goroutine of its own. The program goes on
// meanwhile, so if a chunk was split or merged during the reading, the reader goes back a few steps and reads again.
//
// Blocks in the threads' caches look as if they were in use; they are at most some hundred KiB per thread. glibc maps large
// blocks one by one and unmaps them when they are freed, so it keeps none of those.
package malloc
