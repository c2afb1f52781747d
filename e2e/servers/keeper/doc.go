//go:build linux && cgo

// Keeper is a service that keeps native memory on purpose, so much as it is told, and pushes profiles of it to a server.
//
//	POST /keep?bytes=4096&times=100    handleKeep → vault::Ledger::enter   allocates blocks, and keeps them
//	POST /lend?bytes=4096&times=100    handleLend → vault::Ledger::lend    allocates blocks, and frees them
//	POST /tidy                         gives Go's garbage back to the system
//	GET  /stats                        the exporters' counters
//	GET  /debug/pprof/cgoheap          the profile, without a server between
//
// It records every allocation, so that what a profile says of the two is known to the byte. SIGTERM ends it with a last
// profile.
package main
