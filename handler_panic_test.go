//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
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

	t.Run("in each handler, and it is logged with its stack", func(t *testing.T) {
		p.Handler().ServeHTTP(fragile{httptest.NewRecorder()}, get("/"))
		if !strings.Contains(log.String(), "the answer of a request panicked: fragile") || !strings.Contains(log.String(), "handler_panic_test.go") {
			t.Error(log.String())
		}
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

// A program may go on without a profiler that could not start, and register its handlers all the same.
func TestAProfilerThatWasNotStartedAnswersWithAFault(t *testing.T) {
	for _, p := range []*Profiler{nil, {}} {
		for path, handler := range map[string]http.Handler{"/debug/pprof/cgoheap": p.Handler(), page.Folder + "account": p.PagesHandler()} {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
			if answer.Code != http.StatusInternalServerError {
				t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
			}
		}
	}
}
