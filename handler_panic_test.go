//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/page"
)

// fragile is a ResponseWriter that panics when it is written to.
type fragile struct{ *httptest.ResponseRecorder }

func (fragile) Write([]byte) (int, error) { panic("fragile") }

func TestPanicOfAHandlerGoesNoFurther(t *testing.T) {
	var log strings.Builder
	config := everything
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	p := start(t, config)
	get := func(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }

	t.Run("it is answered with 500, and logged with its stack", func(t *testing.T) {
		answer := httptest.NewRecorder()
		p.guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			panic("on purpose")
		})).ServeHTTP(answer, get("/"))
		if answer.Code != http.StatusInternalServerError || answer.Header().Get("Content-Disposition") != "" {
			t.Error(answer.Code, answer.Header())
		}
		if !strings.Contains(log.String(), "the answer of a request panicked: on purpose") || !strings.Contains(log.String(), "handler_panic_test.go") {
			t.Error(log.String())
		}
	})

	t.Run("an answer that has begun does not end as if it were whole", func(t *testing.T) {
		server := httptest.NewServer(p.guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
			panic("on purpose")
		})))
		defer server.Close()
		answer, err := http.Get(server.URL)
		if err != nil {
			return // not even a header
		}
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); err == nil {
			t.Errorf("%d bytes", len(body))
		}
	})

	t.Run("one that asks the server to end the connection reaches the server", func(t *testing.T) {
		defer func() {
			caught := recover()
			if err, _ := caught.(error); !errors.Is(err, http.ErrAbortHandler) {
				t.Error(caught)
			}
		}()
		p.guarded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })).ServeHTTP(httptest.NewRecorder(), get("/"))
	})

	t.Run("in each handler", func(*testing.T) {
		p.Handler().ServeHTTP(fragile{httptest.NewRecorder()}, get("/"))
		SymbolHandler().ServeHTTP(fragile{httptest.NewRecorder()}, httptest.NewRequest(http.MethodPost, "/debug/pprof/symbol", nil))
		for _, path := range []string{"", "about", "account", "profile", "metrics", "suspects", "nothing", "timeline?no=1"} {
			p.PagesHandler().ServeHTTP(fragile{httptest.NewRecorder()}, get(page.Folder+path))
		}
	})
}

func TestPagesOfAProgramThatHasNoArgumentsAnyMore(t *testing.T) {
	p := start(t, everything)
	name := `"` + os.Args[0][strings.LastIndex(os.Args[0], "/")+1:] + `"`
	arguments := os.Args
	os.Args = nil
	defer func() { os.Args = arguments }()
	if answer := askPage(p, http.MethodGet, page.Folder+"about", ""); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), name) {
		t.Error(answer.Code, answer.Body)
	}
}
