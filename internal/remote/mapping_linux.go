package remote

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the beginning of a file, to be read in place: pages that nobody wrote take no memory, and the kernel may drop the others and
// read them again.
func mapFile(file *os.File, bytes int) (memory []byte, unmap func(), err error) {
	memory, err = unix.Mmap(int(file.Fd()), 0, bytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}
