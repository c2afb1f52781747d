package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"
)

func TestPyroscopeGetsTheCache(t *testing.T) {
	bodies := make(chan []byte, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			bodies <- body
		}
		w.Header().Set("Content-Type", "application/proto")
	}))
	defer server.Close()
	ctx, ticks := filling(t)
	if err := run(ctx, server.URL, ticks); err != nil {
		t.Fatal(err)
	}
	server.Close() // waits for the last request
	close(bodies)
	most := int64(0)
	for body := range bodies {
		p, err := profile.ParseData(field(field(field(body, 1), 2), 1))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, held(p, "C.fill_cache")) // the caller in Go: go test strips the program, so that functions of C have no names
	}
	if most < 10*blockBytes {
		t.Errorf("fill_cache holds at most %d bytes", most)
	}
}

// field is the first field of a message with this number.
func field(message []byte, number protowire.Number) []byte {
	for len(message) > 0 {
		n, kind, head := protowire.ConsumeTag(message)
		length := protowire.ConsumeFieldValue(n, kind, message[max(head, 0):])
		if length < 0 {
			return nil
		}
		if n == number {
			value, _ := protowire.ConsumeBytes(message[head:])
			return value
		}
		message = message[head+length:]
	}
	return nil
}

// filling ticks so often that the cache must be seen, and ends the service then. One block in eight is sampled: the chance that
// fewer than ten of 400 are is below 1 in 10^10.
func filling(t *testing.T) (ctx context.Context, ticks <-chan time.Time) {
	ctx, end := context.WithCancel(t.Context())
	beats := make(chan time.Time)
	go func() {
		defer end()
		for range 400 {
			beats <- time.Time{}
		}
	}()
	return ctx, beats
}

// held is the sum of the last column of samples with a function.
func held(p *profile.Profile, function string) (bytes int64) {
	for _, s := range p.Sample {
		for _, l := range s.Location {
			for _, line := range l.Line {
				if line.Function.Name == function {
					bytes += s.Value[len(s.Value)-1]
				}
			}
		}
	}
	return bytes
}
