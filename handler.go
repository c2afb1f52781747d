package cgoheap

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
)

// Handler serves a profile for each GET, as net/http/pprof serves Go's. Register it as "GET /debug/pprof/cgoheap": without
// the method, the pattern conflicts with net/http/pprof's own. Parameters select what the profile shows, like the fields of
// Selection and the arguments of its View:
//
//	view=inuse|allocated|peak|age|shortlived|growth|rss|unreachable|heldby|pinned|device
//	older=10m     view=age and unreachable: only blocks of at least this age; unreachable leaves out those below 1s without it
//	within=1s     view=shortlived: how soon they were freed: 100ms, 1s, 10s, 1m, 10m or 1h
//	seconds=30    the answer comes after 30 s and is a delta, which may begin up to a second earlier; growth needs it
//	heap=all      Go's own heap too; gc=1 collects its garbage first, for the views unreachable and heldby, too
//	samples=16000 and bytes=4000000 are bounds on the profile
//	reset=1       view=peak: forget the peak once the profile is written
//	bare=1        functions without a name are not named after their file: see Selection.BareAddresses
//	debug=1       text for a person: totals, the largest stacks, each with the error of sampling; suspects, if they are kept; what was lost
//
// A browser may reset the peak only with the header X-Cgoheap: 1, as PagesHandler wants it, so that no page of another host makes it;
// go tool pprof and curl need none. The request must name the host as PagesHandler wants it, too.
// Invalid parameters are answered with 400 and a sentence. Requests with seconds that arrive within a second of each other
// share one Baseline. The Baselines of all waiting requests together may hold 64 MiB; a request beyond that is answered with
// 429, Retry-After and a sentence.
func (p *Profiler) Handler() http.Handler {
	return p.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			page.Error(w, "cgoheap: the profile is read with GET", http.StatusMethodNotAllowed)
			return
		}
		q, err := parseQuery(r.URL.RawQuery)
		if err != nil {
			page.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		allowed := p.hosts().Reads
		if q.reset {
			allowed = p.hosts().Changes
		}
		if err := allowed(r); err != nil {
			page.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		p.answer(w, r, &q, p.serve)
	}))
}

func (p *Profiler) guarded(handler http.Handler) http.Handler { return guarded(handler, p.failed) }

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

// answer calls serve when the time has come that the query asks for, unless nobody waits any more.
func (p *Profiler) answer(w http.ResponseWriter, r *http.Request, q *query, serve func(http.ResponseWriter, *query)) {
	if q.gc && !q.View.collect {
		runtime.GC()
	}
	leave, err := p.await(w, r, q)
	if err != nil {
		p.refuse(w, err)
		return
	}
	defer leave()
	if r.Context().Err() == nil {
		q.ended = r.Context().Done()
		serve(w, q)
	}
}

// await waits for the span of time that a delta covers. The caller must call leave once the request is answered.
func (p *Profiler) await(w http.ResponseWriter, r *http.Request, q *query) (leave func(), err error) {
	if q.wait == 0 {
		return func() {}, nil
	}
	since, err := p.waits.join(q.wait, q.GoHeap, func() (*held, error) { return p.takeHeld(q.GoHeap) })
	if err != nil {
		return nil, err
	}
	q.View.since = since.baseline()
	extendDeadline(w, r, q.wait)
	select {
	case <-time.After(q.wait):
	case <-r.Context().Done():
	}
	return func() { p.waits.leave(since) }, nil
}

// extendDeadline makes the server's WriteTimeout begin after the wait. A ResponseWriter without deadlines needs no
// extension.
func extendDeadline(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if ok && server.WriteTimeout > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + server.WriteTimeout))
	}
}

// serve makes the profile before it sends any of it: while one is made, threads give way to it and its Baseline is taken, and a client
// may read slowly, or never.
func (p *Profiler) serve(w http.ResponseWriter, q *query) {
	var body bytes.Buffer
	q.Selection.text = q.text
	err := p.report(q.Selection, func(r *report.Report) error {
		if q.text {
			return r.WriteText(&body)
		}
		return r.Write(&body)
	})
	if err != nil {
		p.refuse(w, err)
		return
	}
	if err = send(w, q, body.Bytes()); err == nil && q.reset {
		err = p.ResetPeak()
	}
	if err != nil {
		p.config.Logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	}
}

func send(w http.ResponseWriter, q *query, body []byte) (err error) {
	if q.text {
		_, err = page.Text(w).Write(body)
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", "attachment; filename="+strconv.Quote("cgoheap.pb.gz"))
	_, err = w.Write(body)
	return err
}

// refuse answers with the error that prevented a profile: the request's bounds, too many requests waiting, or a fault on
// this side.
func (p *Profiler) refuse(w http.ResponseWriter, err error) {
	var busy *busyError
	if errors.As(err, &busy) {
		w.Header().Set("Retry-After", strconv.Itoa(busy.retryAfter()))
		page.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	}
	if errors.Is(err, report.ErrBounds) {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.config.Logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	page.Error(w, err.Error(), http.StatusServiceUnavailable)
}

// SymbolHandler answers the request that go tool pprof makes after it fetched a profile with an unnamed address: it posts
// the addresses to the path symbol beside the profile's, and fails if nothing answers. The answer has no names, because the
// profile already has all that are known. Register it as "POST /debug/pprof/symbol"; net/http/pprof's own handler there
// takes only GET.
func SymbolHandler() http.Handler {
	unlogged := func(error) {}
	return guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, "num_symbols: 1\n") // 0 would mean that there is no such service
	}), unlogged)
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
