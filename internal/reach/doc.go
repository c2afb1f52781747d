// Package reach says which recorded blocks something still points to, what that is, and what free memory they pin.
//
//	alloc: blocks in use ─► twin: a copy looks ─► alloc: those still in use ─► samples
//
// The blocks are listed before the copy is made, and count only if they are still in use after it has looked: so they were in use at
// its instant.
package reach
