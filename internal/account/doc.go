// Package account attributes each resident byte of the process: a list of lines that adds up to RSS as the kernel counts it.
//
// The kernel says what is mapped, and how much of it is resident. It does not say what for. Others know parts of that, and
// hand them over in one of two forms:
//
//	Mapped   a range of addresses, and who mapped it, with the stack: from the recorded calls of mmap
//	Malloc   an allocator's own figures, and the ranges of addresses that its blocks come from
//
// Each page is counted once, with the first of these that claims it (claims.go); pages that nobody claims count under the
// nature of their mapping, as the kernel reports it (nature.go). So the lines add up to RSS by construction. A page that cannot
// be attributed is on a line of its own kind, "mapped, caller unknown" or "unexplained", and is never spread over the others.
//
//	/proc/self/maps ─► areas ─► runs of pages ─► claims ─► holder × nature ─► lines
//	                             pages_linux.go               survey.go         account.go, mallocs.go, gomemory.go
//
// Two owners know how much they have, but not on which pages: the Go runtime in its arenas, and malloc in its memory. Their
// pages are counted together, and the owner's figures divide the sum. Each line says how its bytes are known.
//
// No claim is believed against the kernel: bytes that are not mapped, or not resident, are on no line.
//
// The process may be another one, which stands still (foreign.go). Then nobody can be asked for the figures of the Go runtime and of allocators.
//
// A survey takes memory for each claim and each block that is looked up, and none for each mapping or page. The program goes on
// meanwhile, so the lines are of a moment that lasts as long as the survey, about 4 ms for a GiB of small pages.
package account
