package serve

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/pprof"
)

// stacksQuery holds the parsed parameters of the pages profile, stacks and source: those of Profiles, and more.
type stacksQuery struct {
	*Query
	by       string    // a label
	from, to time.Time // zero unless it compares two moments
	file     string    // of source
	near     []string  // numbers of lines
}

// stacksParameters are those that Profiles does not have.
var stacksParameters = Parameters[stacksQuery]{
	"by":   func(q *stacksQuery, value string) error { q.by = value; return nil },
	"from": func(q *stacksQuery, value string) error { return setMoment(&q.from, value) },
	"to":   func(q *stacksQuery, value string) error { return setMoment(&q.to, value) },
	"file": func(q *stacksQuery, value string) error { q.file = value; return nil },
	"near": func(q *stacksQuery, value string) error { q.near = append(q.near, value); return nil },
}

// only refuses parameters that another page has.
func (q *stacksQuery) only(by, source bool) error {
	switch {
	case q.by != "" && !by:
		return errors.New(`cgoheap: there is no parameter "by" here: a profile has all labels`)
	case (q.file != "" || len(q.near) > 0) && !source:
		return errors.New(`cgoheap: only the page source has the parameters "file" and "near"`)
	case source && q.file == "":
		return errors.New("cgoheap: the parameter file is missing")
	}
	return nil
}

func setMoment(t *time.Time, value string) error {
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil || ms <= 0 {
		return errors.New("it must be milliseconds since 1970")
	}
	*t = time.UnixMilli(ms)
	return nil
}

// parseStacks parses the parameters of a page that has those which only names.
func (s *Server) parseStacks(raw string, by, source bool) (q stacksQuery, err error) {
	values, err := parse(raw)
	if err != nil {
		return q, err
	}
	if err := stacksParameters.set(&q, values); err != nil {
		return q, err
	}
	for name := range stacksParameters {
		delete(values, name)
	}
	switch {
	case q.from.IsZero() && q.to.IsZero():
		q.Query, err = s.source.Parse(values.Encode())
		if err == nil && q.Reset {
			err = errors.New("cgoheap: the parameter reset changes something, which a page does only by POST: ask /debug/pprof/cgoheap")
		}
	case q.from.IsZero() || q.to.IsZero() || len(values) != 1 || values.Get("view") != report.Growth.Name:
		err = errors.New("cgoheap: the parameters from and to go together, with view=growth and no other")
	default:
		q.Query = &Query{View: report.Growth.Name}
	}
	if err == nil {
		err = q.only(by, source)
	}
	return q, err
}

// profileFile answers with the profile as a file.
func (s *Server) profileFile(w http.ResponseWriter, r *http.Request) {
	q, err := s.parseStacks(r.URL.RawQuery, false, false)
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if q.from.IsZero() {
		s.answer(w, r, q.Query, s.profile)
		return
	}
	var file bytes.Buffer
	if err := s.source.Between(q.from, q.to, pprof.Compression(0), &file); err != nil {
		page.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	_ = send(w, File, file.Bytes())
}

// stacks answers with the profile as a tree.
func (s *Server) stacks(w http.ResponseWriter, r *http.Request) {
	q, err := s.parseStacks(r.URL.RawQuery, true, false)
	s.made(w, r, &q, err, func(made *profile.Profile) any {
		return page.NewStacks(made, page.Options{View: q.View, By: q.by})
	})
}

// lines answers with lines of source around those that a function of the profile has.
func (s *Server) lines(w http.ResponseWriter, r *http.Request) {
	q, err := s.parseStacks(r.URL.RawQuery, false, true)
	near, wrong := page.ParseNear(q.near)
	if err == nil && wrong != nil {
		err = fmt.Errorf("cgoheap: %w", wrong)
	}
	s.made(w, r, &q, err, func(made *profile.Profile) any { return page.ReadSource(made, q.file, near) })
}

// made answers with what is made of a profile, as JSON, unless the query was wrong.
func (s *Server) made(w http.ResponseWriter, r *http.Request, q *stacksQuery, wrong error, of func(*profile.Profile) any) {
	if wrong != nil {
		page.Error(w, wrong.Error(), http.StatusBadRequest)
		return
	}
	if !q.from.IsZero() {
		s.read(w, r, of, func(file *bytes.Buffer) error { return s.source.Between(q.from, q.to, pprof.Uncompressed, file) })
		return
	}
	s.answer(w, r, q.Query, func(w http.ResponseWriter, t *taking) {
		write := func(file *bytes.Buffer) error { return t.write(file, Tree) }
		if q.Searches {
			var file bytes.Buffer
			err := write(&file)
			write = func(to *bytes.Buffer) error { *to = file; return err }
		}
		s.read(w, r, of, write)
	})
}

// read answers with what is made of a profile that is written in turn.
func (s *Server) read(w http.ResponseWriter, r *http.Request, of func(*profile.Profile) any, write func(*bytes.Buffer) error) {
	var packed *page.Packed
	err := s.inTurn(r, func() error {
		var file bytes.Buffer
		if err := write(&file); err != nil {
			return err
		}
		made, err := profile.ParseUncompressed(file.Bytes())
		if err != nil {
			return fmt.Errorf("cgoheap: reading a profile back: %w", err)
		}
		packed, err = page.Pack(r, of(made))
		return err
	})
	switch {
	case err == nil:
		s.sent(packed.Send(w))
	case r.Context().Err() != nil: // nobody waits for it
	case errors.Is(err, ErrNoMoments):
		page.Error(w, err.Error(), http.StatusNotFound)
	default:
		s.refuse(w, err)
	}
}

// ErrNoMoments reports that there is nothing to compare.
var ErrNoMoments = errors.New("cgoheap: no two moments can be compared")
