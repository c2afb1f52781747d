package peek

import "golang.org/x/sys/unix"

const (
	page   = 4096
	window = 16 * page // that a pipe has room for, unless its user has many
)

// copyByPipe writes the memory to a pipe and reads it from there: the kernel refuses to write what it cannot read.
func copyByPipe(to []byte, from uint64) (n int, allowed bool) {
	var pipe [2]int
	if unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK) != nil {
		return 0, false
	}
	defer func() { _, _ = unix.Close(pipe[0]), unix.Close(pipe[1]) }()
	for n < len(to) {
		part := to[n:min(len(to), n+partAt(from+uint64(n)))]
		written, errno := write(pipe[1], from+uint64(n), len(part))
		if errno != 0 {
			return n, n > 0 || errno == unix.EFAULT
		}
		if got, err := unix.Read(pipe[0], part[:written]); err != nil || got != written {
			return n, n > 0
		}
		n += written
	}
	return n, true
}

// partAt returns how much is written at a time. Of a page of the pipe that cannot be filled the kernel writes nothing, so the parts
// begin where pages do.
func partAt(address uint64) int {
	if rest := address % page; rest != 0 {
		return int(page - rest)
	}
	return window
}

// write writes memory that need not be mapped, so no slice may refer to it.
func write(fd int, from uint64, size int) (int, unix.Errno) {
	n, _, errno := unix.Syscall(unix.SYS_WRITE, uintptr(fd), uintptr(from), uintptr(size))
	return int(n), errno
}
