package peek

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// Copy copies memory from an address on, and returns how many bytes it could.
func Copy(to []byte, from uint64) int {
	if n, allowed := Read(to, from); allowed {
		return n
	}
	return copyByFile(to, from)
}

// Read copies memory from an address on, up to the first unreadable byte, also where /proc is not mounted or not this process's. allowed is
// false if the kernel, or a filter of system calls, refuses that for any address.
func Read(to []byte, from uint64) (n int, allowed bool) {
	if len(to) == 0 {
		return 0, true
	}
	runtime.LockOSThread() // a filter is a thread's
	defer runtime.UnlockOSThread()
	if filtered() {
		return copyByPipe(to, from)
	}
	return copyByCall(to, from)
}

// filtered reports whether a filter of system calls may be in force, which may end the process for a call that it does not know.
func filtered() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return mode != 0 && !errors.Is(err, unix.EINVAL) // EINVAL: the kernel has no filters
}

// copyByCall asks by the number of the locked thread: a main thread that has ended has no memory.
func copyByCall(to []byte, from uint64) (n int, allowed bool) {
	local := []unix.Iovec{{Base: &to[0], Len: uint64(len(to))}}
	n, err := unix.ProcessVMReadv(unix.Gettid(), local, []unix.RemoteIovec{{Base: uintptr(from), Len: len(to)}}, 0)
	return max(n, 0), err == nil || errors.Is(err, unix.EFAULT)
}

func copyByFile(to []byte, from uint64) int {
	fd, err := unix.Open("/proc/self/mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil { // the main thread has ended
		fd, err = unix.Open("/proc/thread-self/mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Close(fd) }()
	n, _ := unix.Pread(fd, to, int64(from))
	return max(n, 0)
}

// Each copies size bytes from each address, one behind the other, until one of them cannot be read. It returns how many could.
func Each(to []byte, size int, from []uint64) (n int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !filtered() {
		if n, allowed := eachByCall(to, size, from); allowed {
			return n
		}
	}
	for n < len(from) && Copy(to[n*size:(n+1)*size], from[n]) == size {
		n++
	}
	return n
}

const mostVectors = 1024 // UIO_MAXIOV

// eachByCall does so with one system call for many.
func eachByCall(to []byte, size int, from []uint64) (n int, allowed bool) {
	remote := make([]unix.RemoteIovec, min(len(from), mostVectors))
	for n < len(from) {
		some := remote[:min(len(from)-n, mostVectors)]
		for i := range some {
			some[i] = unix.RemoteIovec{Base: uintptr(from[n+i]), Len: size}
		}
		local := []unix.Iovec{{Base: &to[n*size], Len: uint64(len(some) * size)}}
		copied, err := unix.ProcessVMReadv(unix.Gettid(), local, some, 0)
		if err != nil && !errors.Is(err, unix.EFAULT) {
			return n, n > 0
		}
		whole := max(copied, 0) / size
		if n += whole; whole < len(some) {
			break
		}
	}
	return n, true
}

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
