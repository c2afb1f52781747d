//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"context"
	"net/http"
	"net/http/httptest"
	netpprof "net/http/pprof"
	"net/url"
	"runtime/pprof"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestHandler(t *testing.T) {
	p := start(t, everything)
	defer victim.Free(allocate(1000))
	get := httptest.NewRequest(http.MethodGet, "/", nil)

	t.Run("GET has a valid profile, as a file that is not to be guessed at", func(t *testing.T) {
		answer := httptest.NewRecorder()
		p.Handler().ServeHTTP(answer, get)
		if answer.Code != http.StatusOK {
			t.Fatal(answer.Code)
		}
		for key, want := range map[string]string{
			"Content-Type":           "application/octet-stream",
			"Content-Disposition":    `attachment; filename="cgoheap.pb.gz"`,
			"X-Content-Type-Options": "nosniff",
		} {
			if got := answer.Header().Get(key); got != want {
				t.Errorf("%s: %q, want %q", key, got, want)
			}
		}
		if n := len(profiletest.Through(profiletest.Parse(t, answer.Body), "allocate")); n != 1 {
			t.Errorf("%d samples", n)
		}
	})

	for _, method := range []string{http.MethodPost, http.MethodHead, http.MethodPut, http.MethodDelete} {
		t.Run(method+" is refused", func(t *testing.T) {
			answer := httptest.NewRecorder()
			p.Handler().ServeHTTP(answer, httptest.NewRequest(method, "/", nil))
			if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != http.MethodGet {
				t.Errorf("%d, %v", answer.Code, answer.Header())
			}
		})
	}
}

func TestOnlyWhoIsNoOtherPageResetsThePeak(t *testing.T) {
	p := start(t, Config{SampleBytes: 1, Hosts: []string{"shop.test"}})
	for _, c := range []struct {
		url, browser string
		code         int
	}{
		{"http://localhost/?view=peak&reset=1", "", http.StatusOK},
		{"http://shop.test/?view=peak&reset=1", "", http.StatusOK},
		{"http://localhost/?view=peak&reset=1", "Mozilla/5.0", http.StatusForbidden},
		{"http://localhost/?view=peak", "Mozilla/5.0", http.StatusOK},
		{"http://evil.test/?view=peak&reset=1", "", http.StatusForbidden},
		{"http://evil.test/?view=peak", "", http.StatusForbidden},
	} {
		profiletest.Spike(1 << 20)
		request, answer := httptest.NewRequest(http.MethodGet, c.url, nil), httptest.NewRecorder()
		request.Header.Set("User-Agent", c.browser)
		p.Handler().ServeHTTP(answer, request)
		if answer.Code != c.code {
			t.Errorf("%+v: %d %.200s", c, answer.Code, answer.Body)
		}
		after := profiletest.Parse(t, profiletest.Ask(p.Handler(), "view=peak").Body)
		reset := profiletest.Sum(profiletest.Through(after, "Spike"))[1] == 0
		if reset != (c.code == http.StatusOK && strings.Contains(c.url, "reset")) {
			t.Errorf("%+v: the peak was reset: %v", c, reset)
		}
		if err := p.ResetPeak(); err != nil {
			t.Fatal(err)
		}
	}
}

// Names come from binaries and labels.
func TestTextHasNothingThatATerminalObeys(t *testing.T) {
	p := start(t, Config{SampleBytes: 1, GoroutineLabels: true})
	pprof.Do(t.Context(), pprof.Labels("tenant\x1b[31m", "a\x1b]0;owned\a\xff\u202e"), func(context.Context) {
		defer victim.Free(allocate(1 << 20))
		text := profiletest.Ask(p.Handler(), "debug=1").Body.String()
		if !strings.Contains(text, `\u001b]0;owned\u0007`) || strings.ContainsAny(text, "\x1b\a\u202e") || !utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
	})
	answer := profiletest.Ask(p.Handler(), "veiw="+url.QueryEscape("\x1b[31m"))
	if answer.Code != http.StatusBadRequest || strings.Contains(answer.Body.String(), "\x1b") {
		t.Errorf("%q", answer.Body)
	}
}

func TestHandlerInAServer(t *testing.T) {
	p := start(t, everything)
	defer victim.Free(allocate(1000))
	get := httptest.NewRequest(http.MethodGet, "/", nil)

	t.Run("it is served beside Go's own profiles", func(t *testing.T) {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /debug/pprof/", netpprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", netpprof.Profile)
		mux.Handle("GET /debug/pprof/cgoheap", p.Handler())
		server := httptest.NewServer(mux)
		defer server.Close()
		answer, err := http.Get(server.URL + "/debug/pprof/cgoheap")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if n := len(profiletest.Through(profiletest.Parse(t, answer.Body), "allocate")); n != 1 {
			t.Errorf("%d samples", n)
		}
	})

	t.Run("a reader that goes away is no answer's concern", func(t *testing.T) {
		answer := &brokenAnswer{httptest.NewRecorder(), brokenWriter{100}}
		p.Handler().ServeHTTP(answer, get)
		if answer.Code != http.StatusOK {
			t.Errorf("%d after the answer had begun", answer.Code)
		}
	})

	t.Run("after Stop it is unavailable, in words, not as a file", func(t *testing.T) {
		p.Stop()
		answer := httptest.NewRecorder()
		p.Handler().ServeHTTP(answer, get)
		if answer.Code != http.StatusServiceUnavailable || !strings.Contains(answer.Body.String(), "stopped") {
			t.Errorf("%d: %q", answer.Code, answer.Body)
		}
		if h := answer.Header(); h.Get("Content-Disposition") != "" || !strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
			t.Errorf("%v", h)
		}
	})
}

type brokenAnswer struct {
	*httptest.ResponseRecorder
	body brokenWriter
}

func (a *brokenAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }
