//go:build go1.28

package goheap

const cutReason = "stacks of Go's heap have only their innermost 32 frames: this release of Go is newer than those whose " +
	"records of deeper stacks are known"

// readRecords returns all of the runtime's records, newest stack first, and the reason why some stacks are cut.
func readRecords() (records []record, why string) { return readPublic(), cutReason }
