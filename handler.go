package cgoheap

import (
	"log/slog"
	"net/http"
	"strconv"
)

// Handler serves one profile to each GET, as net/http/pprof serves Go's. Register it with its method,
// "GET /debug/pprof/cgoheap", or the mux will not have it beside net/http/pprof's own patterns.
func (p *Profiler) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			http.Error(w, "cgoheap: the profile is read with GET", http.StatusMethodNotAllowed)
			return
		}
		p.serve(w)
	})
}

func (p *Profiler) serve(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment; filename="+strconv.Quote("cgoheap.pb.gz"))
	h.Set("X-Content-Type-Options", "nosniff")
	body := &startedWriter{ResponseWriter: w}
	err := p.WriteProfile(body)
	if err == nil {
		return
	}
	p.config.Logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	if !body.started {
		h.Del("Content-Disposition")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
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
