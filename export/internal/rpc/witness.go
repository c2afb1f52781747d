package rpc

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// observation is what the witness saw of a call. An answer to a stream can come while it is still being sent.
type observation struct {
	mu         sync.Mutex
	status     int // 0: there was no answer
	retryAfter time.Duration
}

type observationKey struct{}

func observe(ctx context.Context) (context.Context, *observation) {
	o := &observation{}
	return context.WithValue(ctx, observationKey{}, o), o
}

// witness notes the status of answers.
type witness struct{ *http.Transport }

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.Transport.RoundTrip(r)
	if o, ok := r.Context().Value(observationKey{}).(*observation); ok && err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.status = response.StatusCode
		o.retryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return response, err
}

// retryAfter is a number of seconds or a date (RFC 9110, 10.2.3); 0 for what is neither or is past.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
