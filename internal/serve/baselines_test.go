package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// oneStack is a source whose heaps have one stack each.
type oneStack struct {
	Source
	stopped bool
}

func (oneStack) Parse(parameters string) (*Query, error) {
	q := &Query{Write: func(_ io.Writer, _ Form, _ *Baselines, _ <-chan struct{}) error { return nil }}
	if strings.HasPrefix(parameters, "seconds=3600") {
		q.Wait = time.Hour
	}
	q.GoHeap = strings.HasSuffix(parameters, "heap=all")
	return q, nil
}

func (s oneStack) Baselines(both bool) (*Baselines, error) {
	if s.stopped {
		return nil, errors.New("stopped")
	}
	take := func() *stack.Baseline {
		return stack.NewBaseline(&stack.Profile{Samples: []stack.Sample{{ID: 1, Values: stack.Values{InuseBytes: 1000}}}})
	}
	b := &Baselines{Native: take()}
	if both {
		b.Go = take()
	}
	return b, nil
}

func newServer(source Source) *Server {
	return New(source, nil, slog.New(slog.DiscardHandler), func(error) {})
}

// ask returns the answer to a request for a profile.
func ask(s *Server, query string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	s.Profiles().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/?"+query, nil))
	return answer
}

// crowd are requests that wait until they are cancelled.
type crowd struct {
	server   *Server
	cancel   context.CancelFunc
	answered sync.WaitGroup
}

// join has n requests wait, and returns when all do.
func (c *crowd) join(t *testing.T, n int, query string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c.cancel = cancel
	already := c.server.waits.waiting()
	for range n {
		c.answered.Go(func() {
			request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?"+query, nil)
			answer := httptest.NewRecorder()
			c.server.Profiles().ServeHTTP(answer, request)
			if answer.Code == http.StatusTooManyRequests {
				t.Errorf("refused: %s", answer.Body)
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Minute); c.server.waits.waiting() < already+n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d requests wait", c.server.waits.waiting()-already, n)
		}
	}
}

func (c *crowd) leave() {
	c.cancel()
	c.answered.Wait()
}

func (w *waits) waiting() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.held {
		n += b.waiting
	}
	return n
}

// stopClock lets no time pass for the requests that wait, but what the test adds.
func stopClock(s *Server) (add func(time.Duration)) {
	now := time.Now()
	s.waits.now = func() time.Time { return now }
	return func(d time.Duration) {
		s.waits.mu.Lock()
		defer s.waits.mu.Unlock()
		now = now.Add(d)
	}
}

func TestRequestsThatWait(t *testing.T) {
	s := newServer(oneStack{})
	pass := stopClock(s)

	t.Run("300 that come at once share one baseline, and drop it", func(t *testing.T) {
		c := crowd{server: s}
		c.join(t, 300, "seconds=3600")
		if n := len(s.waits.held); n != 1 {
			t.Errorf("%d baselines", n)
		}
		c.leave()
		if n := len(s.waits.held); n != 0 {
			t.Errorf("%d baselines are left", n)
		}
	})

	t.Run("who asks for Go's heap too shares one that has it", func(t *testing.T) {
		c := crowd{server: s}
		c.join(t, 2, "seconds=3600")
		native := s.waits.held[0]
		both := crowd{server: s}
		both.join(t, 2, "seconds=3600&heap=all")
		if len(s.waits.held) != 2 || native.Go != nil || s.waits.held[1].Go == nil {
			t.Errorf("%+v", s.waits.held)
		}
		c.leave()
		c.join(t, 1, "seconds=3600")
		if len(s.waits.held) != 1 {
			t.Errorf("%d baselines", len(s.waits.held))
		}
		c.leave()
		both.leave()
	})

	t.Run("who comes a second later gets a baseline of its own", func(t *testing.T) {
		early, late := crowd{server: s}, crowd{server: s}
		early.join(t, 2, "seconds=3600")
		pass(sharedFor)
		late.join(t, 2, "seconds=3600")
		if n := len(s.waits.held); n != 2 {
			t.Errorf("%d baselines", n)
		}
		early.leave()
		late.leave()
	})

	t.Run("one that is answered leaves the others their baseline", func(t *testing.T) {
		first, second := joinOne(t, s), joinOne(t, s)
		s.waits.leave(first)
		if first != second || len(s.waits.held) != 1 {
			t.Errorf("%+v", s.waits.held)
		}
		s.waits.leave(second)
	})
}

func joinOne(t *testing.T, s *Server) *held {
	t.Helper()
	b, err := s.waits.join(time.Hour, false, s.source.Baselines)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTooManyRequestsThatWait(t *testing.T) {
	s := newServer(oneStack{})
	pass := stopClock(s)
	var crowds [5]crowd
	for i := range 4 {
		crowds[i].server = s
		crowds[i].join(t, 10, "seconds=3600")
		pass(100 * time.Second)
	}
	s.waits.most = s.waits.taken - 1
	for _, b := range s.waits.held {
		s.waits.most += b.size()
	}

	t.Run("one more than there is room for is refused, and told when to come again", func(t *testing.T) {
		var answer *httptest.ResponseRecorder
		answered := make(chan bool)
		go func() {
			defer close(answered)
			answer = ask(s, "seconds=3600")
		}()
		select {
		case <-answered:
		case <-time.After(10 * time.Minute):
			t.Fatal("it waits, as those before it do")
		}
		if answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") != "3200" {
			t.Errorf("%d, Retry-After %q", answer.Code, answer.Header().Get("Retry-After"))
		}
		if text := answer.Body.String(); !strings.Contains(text, "4 baselines") || !strings.Contains(text, "53m20s") {
			t.Errorf("%q", text)
		}
	})

	t.Run("who does not wait is served", func(t *testing.T) {
		if answer := ask(s, ""); answer.Code != http.StatusOK {
			t.Errorf("%d", answer.Code)
		}
	})

	t.Run("when one is answered there is room again", func(t *testing.T) {
		crowds[0].leave()
		crowds[4].server = s
		crowds[4].join(t, 1, "seconds=3600")
	})
	for i := range crowds[1:] {
		crowds[1+i].leave()
	}

	t.Run("one is always possible", func(t *testing.T) {
		s.waits.most = 0
		crowds[0].join(t, 1, "seconds=3600")
		crowds[0].leave()
	})
}

func TestAStoppedProfilerHasNoBaselines(t *testing.T) {
	s := newServer(oneStack{stopped: true})
	if answer := ask(s, "seconds=3600"); answer.Code != http.StatusServiceUnavailable {
		t.Errorf("%d", answer.Code)
	}
	if n := len(s.waits.held); n != 0 {
		t.Errorf("%d baselines", n)
	}
}
