package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const clients = 4

// traffic is what the clients share.
type traffic struct {
	url      string
	rounds   int64
	pause    time.Duration // between two rounds of a client
	next     atomic.Int64  // round
	requests atomic.Int64
	photo    []byte
}

// drive visits the shop rounds times and returns the number of requests. It fails with the first answer that is not the
// expected one.
func drive(ctx context.Context, url string, rounds int) (int64, error) {
	t := &traffic{url: url, rounds: int64(rounds)}
	err := t.drive(ctx)
	return t.requests.Load(), err
}

func (t *traffic) drive(ctx context.Context) error {
	t.photo = newPhoto(320, 240)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			if err := t.client(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	http.DefaultClient.CloseIdleConnections()
	return context.Cause(ctx)
}

func newPhoto(width, height int) []byte {
	header := fmt.Appendf(nil, "P6 %d %d 255\n", width, height)
	return append(header, bytes.Repeat([]byte{200, 120, 40}, width*height)...)
}

func (t *traffic) client(ctx context.Context) error {
	for {
		round := t.next.Add(1) - 1
		if round >= t.rounds {
			return nil
		}
		if err := t.round(ctx, round); err != nil {
			return err
		}
		select {
		case <-time.After(t.pause):
		case <-ctx.Done():
		}
	}
}

// round is a visit. No two ask for the same report or the same thumbnail; some upload a picture, good or broken.
func (t *traffic) round(ctx context.Context, round int64) error {
	customer := 1 + round%50
	err := errors.Join(
		t.ask(ctx, question{path: fmt.Sprintf("/orders?customer=%d", customer)}),
		t.ask(ctx, question{path: fmt.Sprintf("/report?customer=%d&after=%d", customer, round)}),
		t.ask(ctx, question{path: fmt.Sprintf("/thumbnail?photo=%d&width=64&visit=%d", round%8, round)}),
	)
	if err == nil && round%32 == 0 {
		err = t.ask(ctx, question{path: "/export"})
	}
	if err != nil || round%8 != 0 {
		return err
	}
	return errors.Join(
		t.ask(ctx, question{path: "/contactsheet?width=48"}),
		t.ask(ctx, question{path: "/preview?width=96", upload: t.photo}),
		t.ask(ctx, question{path: "/preview?width=96", upload: t.photo[:1000], status: http.StatusUnprocessableEntity}),
	)
}

type question struct {
	path   string
	upload []byte
	status int // of the answer; 0 is 200
}

func (t *traffic) ask(ctx context.Context, q question) error {
	method := http.MethodGet
	if q.upload != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, t.url+q.path, bytes.NewReader(q.upload))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	t.requests.Add(1)
	body, err := io.ReadAll(answer.Body)
	if want := max(q.status, http.StatusOK); err == nil && answer.StatusCode != want {
		err = fmt.Errorf("%s %s: got %s, want %d: %.200s", method, q.path, answer.Status, want, body)
	}
	return err
}
