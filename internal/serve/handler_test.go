package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/page"
)

func TestPanicOfAHandlerGoesNoFurther(t *testing.T) {
	var told error
	failed := func(err error) { told = err }
	get := func(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }

	t.Run("it is answered with 500, and told with its stack", func(t *testing.T) {
		answer := httptest.NewRecorder()
		guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			panic("on purpose")
		}), failed).ServeHTTP(answer, get("/"))
		if answer.Code != http.StatusInternalServerError || answer.Header().Get("Content-Disposition") != "" {
			t.Error(answer.Code, answer.Header())
		}
		caught := (*background.Panic)(nil)
		if !errors.As(told, &caught) || !strings.Contains(told.Error(), "the answer of a request panicked: on purpose") ||
			!strings.Contains(caught.Stack, "handler_test.go") {
			t.Error(told)
		}
	})

	t.Run("an answer that has begun does not end as if it were whole", func(t *testing.T) {
		server := httptest.NewServer(guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
			panic("on purpose")
		}), failed))
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
		guarded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), failed).ServeHTTP(httptest.NewRecorder(), get("/"))
	})
}

func TestNothingIsMadeForAClientThatHasGone(t *testing.T) {
	s := newServer(oneStack{})
	for _, gone := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, page.Folder+"stacks", nil)
		if gone {
			cancel()
		}
		made := false
		err := s.inTurn(request, func() error { made = true; return nil })
		if made == gone || errors.Is(err, context.Canceled) != gone {
			t.Errorf("gone: %v, made: %v, %v", gone, made, err)
		}
		cancel()
	}
}
