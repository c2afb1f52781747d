package serve

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
)

// Query is a request for a profile.
type Query struct {
	View     string        // its name
	Wait     time.Duration // the span of time that a delta covers; 0 for no delta
	GoHeap   bool          // with Go's own heap
	Text     bool          // plain text for a person
	Collect  bool          // collect Go's garbage first
	Reset    bool          // forget the peak afterwards
	Searches bool          // a copy of the process is searched for the view, which may take seconds

	// Write takes the profile and writes it. Since is what a delta begins at, and ended is closed when nobody waits any more.
	Write func(w io.Writer, form Form, since *Baselines, ended <-chan struct{}) error
}

// Form is how a profile is written.
type Form int

// The forms of a profile.
const (
	File Form = iota // as the query wants it
	Text             // for a person
	Tree             // bounded, and not compressed
)

// Profiles serves a profile for each GET.
func (s *Server) Profiles() http.Handler {
	return guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			page.Error(w, "cgoheap: the profile is read with GET", http.StatusMethodNotAllowed)
			return
		}
		q, err := s.source.Parse(r.URL.RawQuery)
		if err != nil {
			page.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		allowed := s.hosts.Reads
		if q.Reset {
			allowed = s.hosts.Changes
		}
		if err := allowed(r); err != nil {
			page.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		s.answer(w, r, q, s.profile)
	}), s.failed)
}

// answer calls serve when the time has come that the query asks for, unless nobody waits any more.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, q *Query, serve func(http.ResponseWriter, *taking)) {
	if q.Collect {
		runtime.GC()
	}
	t := &taking{Query: q, ended: r.Context().Done()}
	if q.Wait > 0 {
		since, err := s.waits.join(q.Wait, q.GoHeap, s.source.Baselines)
		if err != nil {
			s.refuse(w, err)
			return
		}
		defer s.waits.leave(since)
		t.since = since.Baselines
		extendDeadline(w, r, q.Wait)
		select {
		case <-time.After(q.Wait):
		case <-r.Context().Done():
		}
	}
	if r.Context().Err() == nil {
		serve(w, t)
	}
}

// taking is a query whose time has come.
type taking struct {
	*Query
	since *Baselines
	ended <-chan struct{}
}

func (t *taking) write(to *bytes.Buffer, form Form) error { return t.Write(to, form, t.since, t.ended) }

// extendDeadline makes the server's WriteTimeout begin after the wait. A ResponseWriter without deadlines needs no
// extension.
func extendDeadline(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if ok && server.WriteTimeout > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + server.WriteTimeout))
	}
}

// profile makes the profile before it sends any of it: while one is made, threads give way to it and its Baseline is taken, and a client
// may read slowly, or never.
func (s *Server) profile(w http.ResponseWriter, t *taking) {
	form := File
	if t.Text {
		form = Text
	}
	var body bytes.Buffer
	err := t.write(&body, form)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if err = send(w, form, body.Bytes()); err == nil && t.Reset {
		err = s.source.ResetPeak()
	}
	if err != nil {
		s.logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	}
}

func send(w http.ResponseWriter, form Form, body []byte) (err error) {
	if form == Text {
		_, err = page.Text(w).Write(body)
		return err
	}
	return page.SendProfile(w, body)
}

// refuse answers with the error that prevented a profile: the request's bounds, too many requests waiting, or a fault on
// this side.
func (s *Server) refuse(w http.ResponseWriter, err error) {
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
	s.logger.Error("cgoheap: serving a profile", slog.Any("error", err))
	page.Error(w, err.Error(), http.StatusServiceUnavailable)
}
