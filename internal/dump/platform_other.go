//go:build !unix

package dump

import (
	"io/fs"
	"os"
)

// DefaultSignals returns none: nothing can be recorded here, so there is nothing to dump.
func DefaultSignals() []os.Signal { return nil }

func isOwn(fs.FileInfo) bool { return false }
