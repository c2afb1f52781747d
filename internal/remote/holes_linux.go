package remote

import (
	"os"

	"golang.org/x/sys/unix"
)

// dataOf tells where a file may have data. Holes are not read: a copy of them would take memory that the file does not take.
func dataOf(file *os.File) func(start, limit uint64) bool {
	return func(start, limit uint64) bool {
		at, err := unix.Seek(int(file.Fd()), int64(start), unix.SEEK_DATA)
		if err != nil {
			return err != unix.ENXIO // which says that there is only a hole from here on
		}
		return uint64(at) < limit
	}
}
