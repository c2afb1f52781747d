package cgoheap

import "github.com/cgoheap/cgoheap/internal/malloc"

// Trim makes malloc return memory to the kernel that the program has freed, and returns how many resident bytes that saved.
// With glibc it is malloc_trim, with jemalloc, tcmalloc and mimalloc their own purge; other allocators have none, and the
// result is 0. It takes some milliseconds per gigabyte, during which threads may wait for malloc.
func (p *Profiler) Trim() int64 { return int64(malloc.Trim()) }
