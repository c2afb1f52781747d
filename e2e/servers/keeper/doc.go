// Keeper is a service that keeps a requested amount of native memory and pushes profiles of it to a server.
//
//	POST /keep?bytes=4096&times=100    handleKeep → vault::Ledger::enter   allocates blocks, and keeps them
//	POST /lend?bytes=4096&times=100    handleLend → vault::Ledger::lend    allocates blocks, and frees them
//	POST /tidy                         returns Go's garbage to the system
//	GET  /stats                        the exporters' counters
//	GET  /debug/pprof/cgoheap          the profile, without a server in between
//
// It records every allocation, so that the profile's values for both are known to the byte. SIGTERM ends it with a last profile.
package main
