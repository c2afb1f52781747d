//go:build !linux

package descriptor

import "os"

// OpenFile opens a file as os.OpenFile does.
func OpenFile(path string, flags int, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flags, mode)
}
