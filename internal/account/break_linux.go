package account

import "golang.org/x/sys/unix"

// endOfBreak asks the kernel: a break of 0 cannot be set, and the answer is the present one.
func endOfBreak() uint64 {
	end, _, _ := unix.RawSyscall(unix.SYS_BRK, 0, 0, 0)
	return uint64(end)
}
