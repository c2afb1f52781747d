// Command pools shows memory that is carved from chunks of malloc, block by block and by kind: by a C library with an arena of its
// own (folder arena), which includes cgoheap.h, and by a pool in Go, which calls cgoheap.Pool, Allocated and Freed. Without these
// calls, a profile has the chunks only, at the stacks that happened to need a new one.
//
// Folder alone uses the same library in a program without cgoheap.
package main
