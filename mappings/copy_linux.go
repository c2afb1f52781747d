package mappings

import "github.com/cgoheap/cgoheap/internal/peek"

// copyOwn reads this process's memory at start, up to the first unreadable byte. The kernel lets a process do that to itself
// even where /proc is not mounted or not its own. allowed is false if the kernel, or a filter of system calls, refuses it
// for any address.
func copyOwn(to []byte, start RuntimeAddr) (n int, allowed bool) { return peek.Read(to, uint64(start)) }
