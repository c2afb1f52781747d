// Leaky is a small shop's HTTP service that loses native memory in two places, on purpose: something to point a heap
// profiler at. It keeps its orders in SQLite and renders its pictures with a C++ library, so Go's own heap profile shows
// nothing of what it loses.
//
//	GET  /orders?customer=7             handleOrders        works: queries and closes
//	GET  /report?customer=7&after=…     handleReport        LEAKS: keeps every statement that it prepares
//	GET  /thumbnail?photo=3&width=96    handleThumbnail     LEAKS: keeps every thumbnail that it renders
//	POST /preview?width=96              handlePreview       works: renders and frees, refuses what is not a picture
//	GET  /contactsheet?width=48         handleContactSheet  works: renders on a thread of the library's own
//	GET  /debug/pprof/cgoheap           the profile that finds the two
//	GET  /debug/vars                    what Go thinks it uses
//
// Both leaks are the same mistake, a cache whose keys never repeat. SIGUSR2 writes a profile into the directory that
// -dumps names. The command in folder demo builds and drives the service and shows what comes out.
package main
