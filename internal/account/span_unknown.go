//go:build go1.28

package account

// inSpan knows of no span in a release of Go that is newer than this package: a profiler must not break a program's build.
func inSpan(uintptr) bool { return false }
