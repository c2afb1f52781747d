package export

import (
	"context"

	"github.com/cgoheap/cgoheap"
)

// Target is a server that profiles go to. Send is called by one goroutine, and Close perhaps while a Send does not end;
// Stats by any.
type Target interface {
	// Form says how it wants them.
	Form() Form

	// Send sends a batch, once. It returns soon after ctx is done. An error that is no *Failure counts as one that is
	// Doubtful.
	Send(ctx context.Context, b *Batch) error

	// Stats are counters of its own, beside those of the Exporter.
	Stats() cgoheap.Stats

	// Close ends what the target does by itself, and its connections. Nothing is sent after it.
	Close() error
}

// Form is how a target wants its profiles.
type Form struct {
	// Apart: two profiles, one of what is in use, without a duration, and one of what was allocated since the last.
	// Otherwise both are in one.
	Apart bool

	// Labels are the keys of the sample labels that stay; the others are taken away.
	Labels []string
}

// Batch is what is sent at once: all of one moment.
type Batch struct {
	Profiles [][]byte // profile.proto, gzipped
	Unnamed  []Module // the files in which a location could not be named
}

// Module is a file that is loaded in this process.
type Module struct {
	File, BuildID string
}

// Size is the number of bytes of the profiles.
func (b *Batch) Size() (bytes int64) {
	for _, p := range b.Profiles {
		bytes += int64(len(p))
	}
	return bytes
}
