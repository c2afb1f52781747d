// Leaky is a small shop's HTTP service that leaks native memory in three places, on purpose: something to point a heap
// profiler at. It keeps its orders in SQLite and renders its pictures with a C++ library, so Go's own heap profile does not
// show the leaks.
//
//	GET  /orders?customer=7             handleOrders        works: queries and closes
//	GET  /report?customer=7&after=…     handleReport        LEAKS: keeps every statement that it prepares
//	GET  /export                        handleExport        LEAKS: keeps every copy of the shop that it opens, which SQLite maps
//	GET  /thumbnail?photo=3&width=96    handleThumbnail     LEAKS: keeps every thumbnail that it renders
//	POST /preview?width=96              handlePreview       works: renders and frees, refuses what is not a picture
//	GET  /contactsheet?width=48         handleContactSheet  works: renders on a thread of the library's own
//	GET  /debug/pprof/cgoheap           the profile that shows the leaks; view=rss has the copies too
//	GET  /debug/cgoheap/                the page: who grows, what RSS consists of, memory over time, flame graphs
//	GET  /debug/cgoheap/account         what RSS consists of
//	GET  /debug/vars                    what Go thinks it uses
//
// Two leaks are the same mistake, a cache whose keys never repeat; the third is a Close that is missing. SIGUSR2 writes a profile into the directory that
// -dumps names. The command in folder demo builds the service, puts load on it and prints the profile's findings.
package main
