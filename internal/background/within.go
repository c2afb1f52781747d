package background

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Within runs do in a goroutine and returns its result, or an error if there is none after a time. Then do goes on, and if it ends
// without an error, its result goes to late, which may be nil. A panic of do is an error, a *Panic.
//
// An import may call it: no timer is begun, because with the first one Go begins its poller, whose descriptors a program may close that
// begins with none of its own.
func Within[T any](limit time.Duration, name string, do func() (T, error), late func(T)) (T, error) {
	var value T
	var err error
	var taken atomic.Bool // the result, or the error that there is none
	done := newAlert()
	go func() {
		if panicked := Guard(name, func() { value, err = do() }); panicked != nil {
			err = panicked
		}
		switch {
		case taken.CompareAndSwap(false, true):
			done.raise()
		case err == nil && late != nil:
			_ = Guard(name, func() { late(value) })
		}
	}()
	if done.wait(limit) || !taken.CompareAndSwap(false, true) {
		done.wait(forEver) // for a moment at most
		return value, err
	}
	var none T
	return none, fmt.Errorf("%s: there is no answer after %v", name, limit)
}

const forEver = 1 << 62 * time.Nanosecond
