package pyroscope_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/export/pyroscope"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// numbers are the numbers of the profiles in calls.
func numbers(t *testing.T, calls []standin.Call) (list []int64) {
	t.Helper()
	for _, c := range calls {
		list = append(list, total(decode(t, c).profile, "alloc_objects"))
	}
	return list
}

func upTo(n int) (list []int64) {
	for i := range n {
		list = append(list, int64(i+1))
	}
	return list
}

func TestNothingIsLostWhileTheServerRestarts(t *testing.T) {
	address := toolchain.Loopback(toolchain.FreePort(t))
	first := standin.ServeAt(t, address, accept)
	defer first.Close()
	p := &standin.Profiler{}
	e := start(t, p, pyroscope.Config{Address: first.URL}, export.Config{QueueBatches: 10_000})
	await(t, "five profiles", func() bool { return len(first.Calls()) >= 5 })
	first.Close()
	await(t, "failures", func() bool { return e.Stats().Value("export_retried") >= 2 })
	if why := e.Stats().String(); !strings.Contains(why, "connection refused") {
		t.Error(why)
	}
	second := standin.ServeAt(t, address, accept)
	defer second.Close()
	await(t, "an empty queue", func() bool { return e.Stats().Value("export_queue") == 0 })
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	got := numbers(t, append(first.Calls(), second.Calls()...))
	if diff := cmp.Diff(upTo(p.Written()), got); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
}

func TestAnswersAndWhatBecomesOfTheProfile(t *testing.T) {
	for about, c := range map[string]struct {
		answer          func(w http.ResponseWriter) // to the first attempt
		again           bool                        // the profile comes again
		counter, reason string
	}{
		"429 with Retry-After": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			standin.ConnectError(w, http.StatusTooManyRequests, "resource_exhausted", "rate limit")
		}, true, "export_retried", "rate limit"},
		"500": {func(w http.ResponseWriter) {
			standin.ConnectError(w, http.StatusInternalServerError, "unknown", "gzip: invalid header")
		}, true, "export_retried", "500 Internal Server Error: unknown: gzip: invalid header"},
		"413": {func(w http.ResponseWriter) { http.Error(w, "too large", http.StatusRequestEntityTooLarge) },
			false, "export_refused", "413 Request Entity Too Large"},
		"400 for a profile over the limits": {func(w http.ResponseWriter) {
			standin.ConnectError(w, http.StatusBadRequest, "invalid_argument", "exceeds the size limit")
		}, false, "export_refused", "exceeds the size limit"},
		"a wrong token": {func(w http.ResponseWriter) {
			standin.ConnectError(w, http.StatusUnauthorized, "unauthenticated", "no org id")
		}, false, "export_refused", "401 Unauthorized: unauthenticated: no org id"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			server := standin.Serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 0 {
					c.answer(w)
					return
				}
				standin.Connect(w)
			})
			p := &standin.Profiler{}
			e := start(t, p, pyroscope.Config{Address: server.URL}, export.Config{QueueBatches: 10_000})
			await(t, "three profiles", func() bool { return e.Stats().Value("export_pushed") >= 3 })
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
			want := upTo(p.Written())
			if c.again {
				want = append([]int64{1}, want...)
			}
			if diff := cmp.Diff(want, numbers(t, server.Calls())); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			for _, s := range e.Stats() {
				if s.Name == c.counter && (s.Value != 1 || !strings.Contains(s.Sentence, c.reason)) {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

func TestSlowServerGetsEverythingInOrder(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		time.Sleep(2 * interval)
		standin.Connect(w)
	})
	p := &standin.Profiler{}
	e := start(t, p, pyroscope.Config{Address: server.URL}, export.Config{QueueBatches: 10_000})
	await(t, "ten profiles", func() bool { return e.Stats().Value("export_pushed") >= 10 })
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(upTo(p.Written()), numbers(t, server.Calls())); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
}

func TestServerThatHangsDoesNotHoldStopUp(t *testing.T) {
	release := make(chan struct{})
	server := standin.Serve(t, func(int, http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	e := start(t, &standin.Profiler{}, pyroscope.Config{Address: server.URL}, export.Config{
		SendWithin: 100 * time.Millisecond, StopWithin: time.Second,
	})
	await(t, "a failure", func() bool { return e.Stats().Value("export_retried") > 0 })
	err := e.Stop() // returns, though the server hangs until the test ends
	if err == nil || !strings.Contains(err.Error(), "deadline_exceeded") {
		t.Errorf("Stop: %v", err)
	}
}

func TestNothingIsLeftRunningAfterStop(t *testing.T) {
	for range 3 {
		server := standin.ServeAt(t, "127.0.0.1:0", func(n int, w http.ResponseWriter, _ *http.Request) {
			if n%2 == 0 {
				_, _ = io.WriteString(w, "not what was expected")
				return
			}
			standin.Connect(w)
		})
		e := start(t, &standin.Profiler{}, pyroscope.Config{Address: server.URL}, export.Config{StopWithin: time.Second})
		await(t, "a profile", func() bool { return e.Stats().Value("export_pushed") > 0 })
		_ = e.Stop() // the remaining batches do not matter here
		server.Close()
	}
	await(t, "no goroutine of an exporter's, nor of its connections", func() bool {
		text := make([]byte, 1<<20)
		stacks := string(text[:runtime.Stack(text, true)])
		return !strings.Contains(stacks, "/cgoheap/export.") && !strings.Contains(stacks, "net/http.(*persistConn)")
	})
}
