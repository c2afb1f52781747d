//go:build unix

package usage

import (
	"io/fs"
	"syscall"
)

// inodeOf returns the number that the file system knows a file by; 0 if it has none.
func inodeOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
