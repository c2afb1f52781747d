package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/dump"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/pprof"
)

// Source is the profiler that is served.
type Source interface {
	// Parse parses the parameters of a request for a profile. An error is a sentence for the client.
	Parse(parameters string) (*Query, error)
	// Baselines takes those of now, of both heaps or of native memory only.
	Baselines(both bool) (*Baselines, error)
	// Between writes a profile of how stacks have changed from one moment to another, of those that are kept. It fails with
	// ErrNoMoments if there are no two.
	Between(from, to time.Time, packed pprof.Compression, file *bytes.Buffer) error
	ResetPeak() error

	About() page.About
	Timeline() *flight.Timeline // nil if none is kept
	Account() (fmt.Stringer, error)
	SearchSuspects() error
	// Suspects returns the list, for JSON and as text. searched says that a search has just been made for it.
	Suspects(searched bool) (list any, text string, err error)
	Metrics() []byte // in Prometheus's text format

	Trim() int64 // the resident bytes that it saved
	SetSampleBytes(n int64) error
	Dumps() []*dump.Dumps
}

// Server answers the requests for one profiler.
type Server struct {
	source    Source
	hosts     page.Hosts
	logger    *slog.Logger
	failed    func(error) // gets panics
	waits     waits
	answering sync.Mutex // while a page's answer is made
}

// New returns the server of a source. failed is told of panics.
func New(source Source, hosts page.Hosts, logger *slog.Logger, failed func(error)) *Server {
	return &Server{source: source, hosts: hosts, logger: logger, failed: failed, waits: waits{now: time.Now, most: mostBaseline}}
}

// guarded keeps a panic of our code from the server, which may have no recover: it goes to failed and is answered with 500. An answer
// that has begun is cut off. http.ErrAbortHandler, with which a handler asks the server for that, goes on.
func guarded(handler http.Handler, failed func(error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &startedWriter{ResponseWriter: w}
		caught := (*background.Panic)(nil)
		if !errors.As(background.Guard("the answer of a request", func() { handler.ServeHTTP(answer, r) }), &caught) {
			return
		}
		if err, _ := caught.Cause.(error); errors.Is(err, http.ErrAbortHandler) {
			panic(caught.Cause)
		}
		_ = background.Guard("the report", func() { failed(caught) }) // there is nobody else to tell
		_ = background.Guard("the answer of a fault", answer.fail)
	})
}

// startedWriter records whether the answer has begun: from then on the status can no longer change.
type startedWriter struct {
	http.ResponseWriter
	started bool
}

func (w *startedWriter) WriteHeader(status int) {
	w.started = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *startedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// fail answers with 500. If the answer has begun, it makes the server's next write fail, where it can: whoever asked must not take
// for whole what is not.
func (w *startedWriter) fail() {
	if w.started {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
		return
	}
	clear(w.Header())
	page.Error(w, "cgoheap: a fault of the profiler, which the program's log describes", http.StatusInternalServerError)
}

// Symbol answers go tool pprof's question for names with the number of symbols only: 0 would mean that there is no such service.
func Symbol() http.Handler {
	unlogged := func(error) {}
	return guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, "num_symbols: 1\n")
	}), unlogged)
}
