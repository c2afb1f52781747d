//go:build !linux

package mappings

import "github.com/cgoheap/cgoheap/internal/elffile"

func identity(*elffile.File) (device, inode uint64, ok bool) { return 0, 0, false }

func inodeOf(string) (uint64, bool) { return 0, false }
