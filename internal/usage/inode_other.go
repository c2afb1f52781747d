//go:build !unix

package usage

import "io/fs"

// inodeOf returns 0.
func inodeOf(fs.FileInfo) uint64 { return 0 }
