package delivery

import "time"

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
