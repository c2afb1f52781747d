//go:build unix

package dump

import (
	"io/fs"
	"os"
	"syscall"
)

// DefaultSignals returns the signals for a caller that names none.
func DefaultSignals() []os.Signal { return []os.Signal{syscall.SIGUSR2} }

// isOwn reports whether a file belongs to the user that this process acts for.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
