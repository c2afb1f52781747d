//go:build !go1.28

package goheap

import _ "unsafe" // for go:linkname

// readMemProfile is the function with which runtime/pprof reads the heap profile. It fills p with all records (with nothing
// in use only if inuseZero), and does not touch p if it is too short. Stacks are complete and never move or go away: the
// runtime keeps them in memory that it never frees.
//
//go:linkname readMemProfile runtime.pprof_memProfileInternal
func readMemProfile(p []layout, inuseZero bool) (n int, ok bool)

const cutReason = "stacks of Go's heap have only their innermost frames: they are deeper than the runtime records them, " +
	"128 frames or GODEBUG=profstackdepth"

const unknownLayoutReason = "stacks of Go's heap have only their innermost 32 frames: this build of Go keeps its records in " +
	"another way than the release that it says it is"

// readRecords returns all of the runtime's records, newest stack first, and the reason why some stacks are cut.
func readRecords() (records []record, why string) {
	if !trusted.check() {
		return readPublic(), unknownLayoutReason
	}
	return readDeep(), cutReason
}

func readDeep() []record {
	deep := readAll(list[layout], readMemProfile)
	records := make([]record, len(deep))
	for i := range deep {
		records[i] = deep[i].record()
	}
	return records
}
