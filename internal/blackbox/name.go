package blackbox

import "strings"

// The parts of a file's name: cgoheap.PROGRAM.HOST.PID.TIME.box.
const (
	prefix = "cgoheap."
	suffix = ".box"
)

// IsName reports whether a file's name, without its folder, is one of Create's.
func IsName(name string) bool {
	return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix)
}
