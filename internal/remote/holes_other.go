//go:build !linux

package remote

import "os"

func dataOf(*os.File) func(start, limit uint64) bool { return anywhere }
