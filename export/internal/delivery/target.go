package delivery

import (
	"context"
	"time"

	"github.com/cgoheap/cgoheap"
)

// Target is a server that receives profiles. One goroutine calls Send; Close may be called while a Send hangs; Stats may be
// called from any goroutine.
type Target interface {
	// Form returns how the server wants its profiles.
	Form() Form

	// Send sends a batch, once. It returns soon after ctx is done. An error other than a *Failure counts as Doubtful.
	Send(ctx context.Context, b *Batch) error

	// Place returns the server and the series. What two targets of one place send is added up there.
	Place() string

	// Name returns the server's address, which is what metrics call the target. It holds no secret.
	Name() string

	// Stats returns the target's own counters, beside the Exporter's.
	Stats() cgoheap.Stats

	// Close ends the target's background work and its connections. Send is not called after it.
	Close() error
}

// Form is how a target wants its profiles.
type Form struct {
	// Apart splits each profile in two: the memory in use, without a duration, and what was allocated since the last
	// profile. Otherwise both are in one.
	Apart bool

	// Labels are the keys of the sample labels to keep; the others are removed.
	Labels []string
}

// Batch is what is sent at once: the profiles of one moment.
type Batch struct {
	Profiles [][]byte // profile.proto, gzipped
	Unnamed  []Module // the files in which a location could not be named

	Recovered *Recovered // nil for profiles of this process
}

// Recovered is where the profile of a process that died comes from. Its series has the label that says so: label.Recovered.
type Recovered struct {
	Path  string    // of its file
	Ended time.Time // when the process died
}

// Module is a file that is loaded in this process.
type Module struct {
	File, BuildID string
}

// Size returns the number of bytes of the profiles.
func (b *Batch) Size() (bytes int64) {
	for _, p := range b.Profiles {
		bytes += int64(len(p))
	}
	return bytes
}

// Failure is an error of Target.Send: why a batch did not arrive, and whether to send it again.
type Failure struct {
	Err        error
	Verdict    Verdict
	RetryAfter time.Duration // how long the server asked to wait; 0 if it did not ask
}

// Verdict is whether sending a batch again may help.
type Verdict uint8

// The verdicts.
const (
	Doubtful Verdict = iota // the server failed, perhaps because of this batch: again, a few times
	Later                   // the server was not reached or has no time: again, for as long as the queue holds it
	Refused                 // the server does not want it: never again
)

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the reason.
func (f *Failure) Unwrap() error { return f.Err }
