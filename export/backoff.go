package export

import (
	"math/rand/v2"
	"time"
)

// Waits between attempts double, from a second to half a minute. Each is drawn at random between half of that and all of it,
// so that processes that lost a server at the same moment do not come back at the same moment.
const (
	firstWait = time.Second
	mostWait  = 30 * time.Second

	// A server that asks for a longer wait is tried after this time all the same: its clock, or its answer, may be wrong.
	mostRetryAfter = 10 * time.Minute
)

// backoff counts the failures since the last answer.
type backoff struct{ failures int }

func (b *backoff) reset() { b.failures = 0 }

// next returns how long to wait now: if the server asked for a time, that and a little more.
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

// spread returns the interval changed at random by up to a tenth in either direction.
func spread(interval time.Duration) time.Duration {
	return interval - interval/10 + rand.N(interval/5)
}
