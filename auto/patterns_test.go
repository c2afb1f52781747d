//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package auto

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/page"
)

// shapes are patterns that programs use. Those that a mux refuses beside net/http/pprof's are below.
var shapes = []string{
	"/", "/{$}", "GET /", "POST /", "PUT /", "OPTIONS /", "GET /{$}", "/{x...}", "GET /{x...}", "POST /{x...}",
	"/debug/", "GET /debug/", "POST /debug/", "/debug/{x...}", "GET /debug/{what}", "/debug/pprof/", "GET /debug/pprof/",
	"/debug/pprof/{profile}", "GET /debug/pprof/{profile}", "/debug/cgoheap/", "GET /debug/cgoheap/", "POST /debug/cgoheap/",
	"/debug/cgoheap/{x...}", "GET /debug/cgoheap", "/debug/cgoheap/account", "/debug/pprof/cgoheap", "/debug/pprof/symbol",
	"GET /debug/pprof/symbol", "HEAD /{$}", "HEAD /health",
	"/{a}/{b}", "GET /{a}/{b...}", "POST /{a}/{b...}", "GET /{a}/{b}/{c}", "GET /{tenant}/{service}/status", "POST /{tenant}/{service}/status",
	"GET /{tenant}/{service}/files/{name}", "/{tenant}/{service}/files/list", "GET /{tenant}/cgoheap/status", "/{a}/{b}/{c}/",
	"example.com/", "GET example.com/", "HEAD example.com/", "localhost/debug/", "POST localhost/debug/cgoheap/trim", "GET example.com/debug/cgoheap/",
}

// handled registers a pattern of the program, and returns what the mux panics with.
func handled(mux *http.ServeMux, pattern string) (refused any) {
	defer func() { refused = recover() }()
	mux.Handle(pattern, http.NotFoundHandler())
	return nil
}

// ours returns the patterns that the mux chooses for the requests that this package answers, where others have no host.
func ours(t *testing.T, mux *http.ServeMux) {
	t.Helper()
	for _, want := range append(page.Patterns(), "GET /debug/pprof/cgoheap", "POST /debug/pprof/symbol") {
		method, path, _ := strings.Cut(strings.TrimSuffix(want, "{$}"), " ")
		if _, got := mux.Handler(httptest.NewRequest(method, "http://192.0.2.1"+path, nil)); got != want {
			t.Errorf("%s %s leads to %q", method, path, got)
		}
	}
}

func TestNoPatternOfAProgramIsInTheWay(t *testing.T) {
	var p *cgoheap.Profiler // only patterns are looked at
	for _, shape := range shapes {
		e, log := given(nil)
		before, after := http.NewServeMux(), http.NewServeMux()
		if refused := handled(before, shape); refused != nil {
			t.Fatal(refused)
		}
		e.serve(before, p)
		if ours(t, before); log.String() != "" {
			t.Errorf("%s is there before: %s", shape, log)
		}
		e.serve(after, p)
		if refused := handled(after, shape); refused != nil {
			t.Errorf("%s is refused: %v", shape, refused)
		}
		ours(t, after)
	}
}

// A pattern of GET answers HEAD too, so one of HEAD that is wider is in conflict with any: net/http/pprof's and each of the program.
func TestAPatternOfHEADIsRefusedAsBesideAnyOther(t *testing.T) {
	for _, shape := range []string{"HEAD /", "HEAD /{x...}", "HEAD /debug/"} {
		mux := http.NewServeMux()
		if refused := handled(mux, "GET /debug/pprof/"); refused != nil {
			t.Fatal(refused)
		}
		if handled(mux, shape) == nil {
			t.Errorf("%s is in conflict with this package alone", shape)
		}
	}
}

// Whatever the program has registered first, it goes on, and one line tells of all that is not served.
func TestTakenPatternsAreReportedInOneLine(t *testing.T) {
	var p *cgoheap.Profiler
	for _, taken := range [][]string{{"HEAD /"}, {"GET /debug/pprof/cgoheap"}, page.Patterns(),
		append(page.Patterns(), "GET /debug/pprof/cgoheap", "POST /debug/pprof/symbol")} {
		mux := http.NewServeMux()
		for _, pattern := range taken {
			if refused := handled(mux, pattern); refused != nil {
				t.Fatal(refused)
			}
		}
		e, log := given(nil)
		e.serve(mux, p)
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "not served, because the program uses the patterns itself") {
			t.Errorf("%q: %s", taken, text)
		}
	}
}

// A program may have the mux of Go 1.21, where a pattern has no method. This package is initialized before net/http/pprof, which
// panics if one of its own patterns is taken.
func TestTheMuxOfGo121(t *testing.T) {
	if !isImported() {
		imported(t, "GODEBUG=httpmuxgo121=1")
		return
	}
	if knowsMethods() {
		t.Fatal("this is not that mux")
	}
	http.HandleFunc("/", http.NotFound)
	for path, method := range map[string]string{"/debug/pprof/cgoheap": http.MethodGet, "/debug/pprof/symbol": http.MethodPost, "/debug/cgoheap/": http.MethodGet,
		"/debug/cgoheap/account": http.MethodGet, "/debug/cgoheap/files/main.js": http.MethodGet, "/debug/cgoheap/trim": http.MethodPost} {
		request, answer := httptest.NewRequest(method, "http://localhost"+path, nil), httptest.NewRecorder()
		request.Header.Set(page.Header, "1")
		http.DefaultServeMux.ServeHTTP(answer, request)
		if answer.Code != http.StatusOK {
			t.Errorf("%s %s: %d %s", method, path, answer.Code, answer.Body)
		}
	}
	server := http.NewServeMux()
	server.Handle("/debug/cgoheap/", Profiler().PagesHandler())
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/cgoheap/about", nil))
	if answer.Code != http.StatusOK {
		t.Error(answer.Code, answer.Body)
	}
}
