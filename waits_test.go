//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// crowd are requests that wait until they are cancelled.
type crowd struct {
	profiler *Profiler
	cancel   context.CancelFunc
	answered sync.WaitGroup
}

// join has n requests wait, and returns when all do.
func (c *crowd) join(t *testing.T, n int, query string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c.cancel = cancel
	already := c.profiler.waits.waiting()
	for range n {
		c.answered.Go(func() {
			request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?"+query, nil)
			answer := httptest.NewRecorder()
			c.profiler.Handler().ServeHTTP(answer, request)
			if answer.Code == http.StatusTooManyRequests {
				t.Errorf("refused: %s", answer.Body)
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Minute); c.profiler.waits.waiting() < already+n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d requests wait", c.profiler.waits.waiting()-already, n)
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
func stopClock(p *Profiler) (add func(time.Duration)) {
	now := time.Now()
	p.waits.now = func() time.Time { return now }
	return func(d time.Duration) {
		p.waits.mu.Lock()
		defer p.waits.mu.Unlock()
		now = now.Add(d)
	}
}

func TestRequestsThatWait(t *testing.T) {
	p := start(t, everything)
	pass := stopClock(p)

	t.Run("300 that come at once share one baseline, and drop it", func(t *testing.T) {
		c := crowd{profiler: p}
		c.join(t, 300, "seconds=3600")
		if n := len(p.waits.held); n != 1 {
			t.Errorf("%d baselines", n)
		}
		c.leave()
		if n := len(p.waits.held); n != 0 {
			t.Errorf("%d baselines are left", n)
		}
	})

	t.Run("who asks for Go's heap too shares one that has it", func(t *testing.T) {
		c := crowd{profiler: p}
		c.join(t, 2, "seconds=3600")
		native := p.waits.held[0]
		both := crowd{profiler: p}
		both.join(t, 2, "seconds=3600&heap=all")
		if len(p.waits.held) != 2 || native.golang != nil || p.waits.held[1].golang == nil {
			t.Errorf("%+v", p.waits.held)
		}
		c.leave()
		c.join(t, 1, "seconds=3600")
		if len(p.waits.held) != 1 {
			t.Errorf("%d baselines", len(p.waits.held))
		}
		c.leave()
		both.leave()
	})

	t.Run("who comes a second later gets a baseline of its own", func(t *testing.T) {
		early, late := crowd{profiler: p}, crowd{profiler: p}
		early.join(t, 2, "seconds=3600")
		pass(sharedFor)
		late.join(t, 2, "seconds=3600")
		if n := len(p.waits.held); n != 2 {
			t.Errorf("%d baselines", n)
		}
		early.leave()
		late.leave()
	})

	t.Run("the delta begins at the baseline, for each of them", func(t *testing.T) {
		victim.Free(allocate(1000))
		var all sync.WaitGroup
		first := joinOne(t, p)
		victim.Free(allocate(3000))
		for range 8 {
			since := joinOne(t, p)
			all.Go(func() {
				var written bytes.Buffer
				if err := p.Write(&written, Selection{View: ViewDelta(since.baseline())}); err != nil {
					t.Error(err)
				}
				p.waits.leave(since)
				if found := profiletest.Sum(profiletest.Through(profiletest.Parse(t, &written), "allocate")); found != [4]int64{1, 3000, 0, 0} {
					t.Errorf("%v", found)
				}
			})
		}
		all.Wait()
		p.waits.leave(first)
	})
}

func joinOne(t *testing.T, p *Profiler) *held {
	t.Helper()
	b, err := p.waits.join(time.Hour, false, func() (*held, error) { return p.takeHeld(false) })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTooManyRequestsThatWait(t *testing.T) {
	p := start(t, everything)
	pass := stopClock(p)
	defer victim.Free(allocate(1000))
	var crowds [5]crowd
	for i := range 4 {
		crowds[i].profiler = p
		crowds[i].join(t, 10, "seconds=3600")
		pass(100 * time.Second)
	}
	p.waits.most = p.waits.taken - 1
	for _, b := range p.waits.held {
		p.waits.most += b.size()
	}

	t.Run("one more than there is room for is refused, and told when to come again", func(t *testing.T) {
		var answer *httptest.ResponseRecorder
		answered := make(chan bool)
		go func() {
			defer close(answered)
			answer = profiletest.Ask(p.Handler(), "seconds=3600")
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
		if answer := profiletest.Ask(p.Handler(), ""); answer.Code != http.StatusOK {
			t.Errorf("%d", answer.Code)
		}
	})

	t.Run("when one is answered there is room again", func(t *testing.T) {
		crowds[0].leave()
		crowds[4].profiler = p
		crowds[4].join(t, 1, "seconds=3600")
	})
	for i := range crowds[1:] {
		crowds[1+i].leave()
	}

	t.Run("one is always possible", func(t *testing.T) {
		p.waits.most = 0
		crowds[0].join(t, 1, "seconds=3600")
		crowds[0].leave()
	})
}

func TestAStoppedProfilerHasNoBaselines(t *testing.T) {
	p := start(t, everything)
	p.Stop()
	if answer := profiletest.Ask(p.Handler(), "seconds=3600"); answer.Code != http.StatusServiceUnavailable {
		t.Errorf("%d", answer.Code)
	}
	if n := len(p.waits.held); n != 0 {
		t.Errorf("%d baselines", n)
	}
}
