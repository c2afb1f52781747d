package cgoheap

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/report"
)

// Handler serves one profile to each GET, as net/http/pprof serves Go's. Register it with its method,
// "GET /debug/pprof/cgoheap", or the mux will not have it beside net/http/pprof's own patterns. Parameters select what it
// shows, as the fields of Selection do:
//
//	view=inuse|allocated|peak|age|shortlived|growth
//	older=10m     view=age: only blocks at least so old
//	within=1s     view=shortlived: how soon they were freed: 100ms, 1s, 10s, 1m, 10m or 1h
//	seconds=30    the answer comes after so long, and is a delta; growth needs it. It may begin up to a second before the request
//	heap=all      Go's own heap too; gc=1 collects its garbage first
//	samples=16000 and bytes=4000000 are bounds on the profile
//	reset=1       view=peak: once it is written, the peak is forgotten
//	bare=1        no stand-ins for names that are not known, so that a server with debug files looks for the names
//	debug=1       text for a person: totals, the largest stacks, what was lost
//
// Invalid parameters are answered with 400 and a sentence. Requests with seconds that come within a second of each other share
// what they are compared with, and all that wait may hold 64 MiB; one more is answered with 429, Retry-After and a sentence.
func (p *Profiler) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			http.Error(w, "cgoheap: the profile is read with GET", http.StatusMethodNotAllowed)
			return
		}
		q, err := parseQuery(r.URL.RawQuery)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if q.gc {
			runtime.GC()
		}
		leave, err := p.await(w, r, &q)
		if err != nil {
			p.refuse(w, err)
			return
		}
		defer leave()
		if r.Context().Err() == nil {
			p.serve(w, &q)
		}
	})
}

// await waits for as long as a delta is to cover. The request must leave when it has been answered.
func (p *Profiler) await(w http.ResponseWriter, r *http.Request, q *query) (leave func(), err error) {
	if q.wait == 0 {
		return func() {}, nil
	}
	since, err := p.waits.join(q.wait, q.GoHeap, func() (*baseline, error) { return p.takeBaseline(q.GoHeap) })
	if err != nil {
		return nil, err
	}
	q.Since = since.moment()
	extendDeadline(w, r, q.wait)
	select {
	case <-time.After(q.wait):
	case <-r.Context().Done():
	}
	return func() { p.waits.leave(since) }, nil
}

// extendDeadline lets the server's WriteTimeout begin after the wait. A ResponseWriter that has no deadlines needs none.
func extendDeadline(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if ok && server.WriteTimeout > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + server.WriteTimeout))
	}
}

func (p *Profiler) serve(w http.ResponseWriter, q *query) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	body := &startedWriter{ResponseWriter: w}
	q.Selection.text = q.text
	err := p.report(q.Selection, func(r *report.Report) error {
		if q.text {
			h.Set("Content-Type", "text/plain; charset=utf-8")
			return r.WriteText(body)
		}
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", "attachment; filename="+strconv.Quote("cgoheap.pb.gz"))
		return r.Write(body)
	})
	if err == nil && q.reset {
		err = p.ResetPeak()
	}
	switch {
	case err == nil:
	case body.started:
		p.config.Logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	default:
		h.Del("Content-Disposition")
		p.refuse(w, err)
	}
}

// refuse answers that there is no profile: because of the bounds that the request set, because too many wait already, or
// because of this side.
func (p *Profiler) refuse(w http.ResponseWriter, err error) {
	var busy *busyError
	if errors.As(err, &busy) {
		w.Header().Set("Retry-After", strconv.Itoa(busy.retryAfter()))
		http.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	}
	if errors.Is(err, report.ErrBounds) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.config.Logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	http.Error(w, err.Error(), http.StatusServiceUnavailable)
}

// SymbolHandler answers what go tool pprof asks after it fetched a profile that has an address without a name: it sends
// the addresses to the path beside, and gives up if nobody answers. The answer is that there are no names, as the profile
// has them all. Register it as "POST /debug/pprof/symbol"; net/http/pprof's own handler there takes only GET.
func SymbolHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, "num_symbols: 1\n") // not 0, which would say that there is no such service
	})
}

// startedWriter knows whether anything was written, after which there is no other answer to give.
type startedWriter struct {
	http.ResponseWriter
	started bool
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}
