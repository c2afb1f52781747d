package background

import (
	"fmt"
	"time"
)

// Within runs do in a goroutine and returns its result, or an error if there is none after a time. Then do goes on, and if it ends
// without an error, its result goes to late, which may be nil. A panic of do is an error, a *Panic.
func Within[T any](limit time.Duration, name string, do func() (T, error), late func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	results, over := make(chan result), make(chan struct{})
	go func() {
		var r result
		if panicked := Guard(name, func() { r.value, r.err = do() }); panicked != nil {
			r.err = panicked
		}
		select {
		case results <- r:
		case <-over:
			if r.err == nil && late != nil {
				_ = Guard(name, func() { late(r.value) })
			}
		}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-results:
		return r.value, r.err
	case <-timer.C:
		close(over)
		var none T
		return none, fmt.Errorf("%s: there is no answer after %v", name, limit)
	}
}
