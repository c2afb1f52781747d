package leaktest

import (
	"errors"

	"github.com/cgoheap/cgoheap/alloc"
)

// unreachableOnly has a check count only blocks that nothing in the program's memory points to: no caches, and nothing that a
// library keeps until the end.
func unreachableOnly() Option {
	return func(o *options) { o.unreachable = true }
}

var errUnreachable = errors.New("which blocks nothing points to cannot be found out yet")

// look returns the blocks in use that may count.
func (c *check) look() (*alloc.Snapshot, error) {
	if c.unreachable {
		return nil, errUnreachable
	}
	return c.session.recording.Snapshot()
}
