package mappings

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyOwn reads this process's memory at start, up to the first byte that is not readable. The kernel lets a process do
// that to itself even where /proc is not mounted or not its own. It is allowed unless the kernel, or a filter of system
// calls, refuses it whatever the address.
func copyOwn(to []byte, start RuntimeAddr) (n int, allowed bool) {
	local := unix.Iovec{Base: &to[0]}
	local.SetLen(len(to))
	remote := unix.RemoteIovec{Base: uintptr(start), Len: len(to)}
	n, err := unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	if err != nil {
		return 0, errors.Is(err, unix.EFAULT)
	}
	return n, true
}
