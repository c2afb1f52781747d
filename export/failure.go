package export

import (
	"fmt"
	"time"
)

// Failure is why a batch did not arrive, and what that means for it.
type Failure struct {
	Err        error
	Verdict    Verdict
	RetryAfter time.Duration // how long the server asked to wait; 0 if it did not
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

// Unwrap is the reason.
func (f *Failure) Unwrap() error { return f.Err }

// guarded runs code that is not of this package. If it panics, that is the error: the host must not end for a profile.
func guarded(name string, run func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Failure{Err: fmt.Errorf("%s panicked: %v", name, cause), Verdict: Refused}
		}
	}()
	return run()
}
