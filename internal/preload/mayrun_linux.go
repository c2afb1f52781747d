package preload

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// mayRun returns an error if code of a file may not be run.
func mayRun(path string) error {
	f, err := descriptor.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	code, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	return unix.Munmap(code)
}
