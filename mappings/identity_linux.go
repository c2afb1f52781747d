package mappings

import (
	"os"
	"syscall"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// identity returns the device and inode of an open file.
func identity(file *elffile.File) (device, inode uint64, ok bool) {
	info, err := file.Stat()
	if err != nil {
		return 0, 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(stat.Dev), stat.Ino, true
}

// inodeOf returns the inode that a path leads to.
func inodeOf(path string) (uint64, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Ino, true
}
