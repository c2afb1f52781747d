package export

import (
	"math/rand/v2"
	"time"
)

// Waits between attempts double, from a second to half a minute, and are drawn between half of that and all of it, so that
// the processes that one server left at the same moment do not come back at the same moment.
const (
	firstWait = time.Second
	mostWait  = 30 * time.Second

	// A server that asks for more than this is asked again all the same: its clock, or its answer, may be wrong.
	mostRetryAfter = 10 * time.Minute
)

// backoff counts the failures since something was last answered.
type backoff struct{ failures int }

func (b *backoff) reset() { b.failures = 0 }

// next is how long to wait now. A server that asked for a time gets it, and some more.
func (b *backoff) next(retryAfter time.Duration) time.Duration {
	wait := mostWait
	if b.failures < 5 { // 1, 2, 4, 8, 16 s
		wait = firstWait << b.failures
	}
	b.failures++
	if retryAfter > 0 {
		return min(retryAfter, mostRetryAfter) + rand.N(firstWait)
	}
	return wait/2 + rand.N(wait/2)
}

// spread draws from an interval's surroundings, a tenth to either side.
func spread(interval time.Duration) time.Duration {
	return interval - interval/10 + rand.N(interval/5)
}
