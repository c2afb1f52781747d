package descriptor

import (
	"bytes"
	"path/filepath"
)

// Self returns the directory of this process in proc. When the main thread has ended and others go on, as after pthread_exit in main, the
// files of "self" are empty or missing. Then it is the directory of the calling thread, which has the same memory, files and control
// group. It only reads a file: a filter may end the process at other system calls.
func Self(proc string) string {
	self, thread := filepath.Join(proc, "self"), filepath.Join(proc, "thread-self")
	if hasMemory(self, true) || !hasMemory(thread, false) {
		return self
	}
	return thread
}

// hasMemory reports whether a directory's thread has memory; unknown, where that cannot be read.
func hasMemory(dir string, unknown bool) bool {
	pages, err := ReadFile(filepath.Join(dir, "statm"))
	if err != nil || len(pages) == 0 {
		return unknown
	}
	return !bytes.HasPrefix(pages, []byte("0 "))
}
