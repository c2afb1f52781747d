package mappings

import (
	"os"

	"golang.org/x/sys/unix"
)

// copyOwn reads this process's memory at start, as far as it is readable. The kernel lets a process do that to itself even
// where /proc is not mounted or not its own.
func copyOwn(to []byte, start RuntimeAddr) int {
	local := unix.Iovec{Base: &to[0]}
	local.SetLen(len(to))
	remote := unix.RemoteIovec{Base: uintptr(start), Len: len(to)}
	n, err := unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	if err != nil {
		return 0
	}
	return n
}
