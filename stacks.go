package cgoheap

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// stacksQuery holds the parsed parameters of the pages profile and stacks: those of Handler, and more.
type stacksQuery struct {
	query
	by       string    // a label
	from, to time.Time // zero unless it compares two moments
	file     string    // of source
	near     []string  // numbers of lines
}

// stacksParameters are those that Handler does not have.
var stacksParameters = map[string]func(q *stacksQuery, value string) error{
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

func parseStacks(raw string) (q stacksQuery, err error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, fmt.Errorf("cgoheap: the parameters %q: %w", raw, err)
	}
	for name, set := range stacksParameters {
		for _, value := range values[name] {
			if err := set(&q, value); err != nil {
				return q, fmt.Errorf("cgoheap: the parameter %s is %q: %w", name, value, err)
			}
		}
		delete(values, name)
	}
	if q.from.IsZero() && q.to.IsZero() {
		q.query, err = parseQuery(values.Encode())
		if err == nil && q.reset {
			err = errors.New("cgoheap: the parameter reset changes something, which a page does only by POST: ask /debug/pprof/cgoheap")
		}
		return q, err
	}
	if q.from.IsZero() || q.to.IsZero() || len(values) != 1 || values.Get("view") != viewings[viewGrowth].Name {
		return q, errors.New("cgoheap: the parameters from and to go together, with view=growth and no other")
	}
	q.View.kind = viewGrowth
	return q, nil
}

// serveProfile answers with the profile as a file.
func (p *Profiler) serveProfile(w http.ResponseWriter, r *http.Request) {
	q, err := parseStacks(r.URL.RawQuery)
	if err == nil {
		err = q.only(false, false)
	}
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if q.from.IsZero() {
		p.answer(w, r, &q.query, p.serve)
		return
	}
	var file bytes.Buffer
	if err := p.between(q.from, q.to, pprof.Compression(0), &file); err != nil {
		page.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Disposition", `attachment; filename="cgoheap.pb.gz"`)
	_, _ = w.Write(file.Bytes())
}

// mostSamples bounds the profiles that become trees.
const mostSamples = 20_000

// serveStacks answers with the profile as a tree.
func (p *Profiler) serveStacks(w http.ResponseWriter, r *http.Request) {
	q, err := parseStacks(r.URL.RawQuery)
	if err == nil {
		err = q.only(true, false)
	}
	p.serveMade(w, r, &q, err, func(made *profile.Profile) any {
		return page.NewStacks(made, page.Options{View: q.View.String(), By: q.by})
	})
}

// serveSource answers with lines of source around those that a function of the profile has.
func (p *Profiler) serveSource(w http.ResponseWriter, r *http.Request) {
	q, err := parseStacks(r.URL.RawQuery)
	if err == nil {
		err = q.only(false, true)
	}
	near, wrong := page.ParseNear(q.near)
	if err == nil && wrong != nil {
		err = fmt.Errorf("cgoheap: %w", wrong)
	}
	p.serveMade(w, r, &q, err, func(made *profile.Profile) any { return page.ReadSource(made, q.file, near) })
}

// serveMade answers with what is made of a profile, as JSON, unless the query was wrong.
func (p *Profiler) serveMade(w http.ResponseWriter, r *http.Request, q *stacksQuery, wrong error, of func(*profile.Profile) any) {
	if wrong != nil {
		page.Error(w, wrong.Error(), http.StatusBadRequest)
		return
	}
	if !q.from.IsZero() {
		p.serveRead(w, r, of, func(file *bytes.Buffer) error { return p.between(q.from, q.to, pprof.Uncompressed, file) })
		return
	}
	if q.MaxSamples == 0 || q.MaxSamples > mostSamples {
		q.MaxSamples = mostSamples
	}
	q.Compression = int(pprof.Uncompressed)
	p.answer(w, r, &q.query, func(w http.ResponseWriter, taken *query) {
		write := func(file *bytes.Buffer) error { return p.Write(file, taken.Selection) }
		if taken.View.searches() {
			var file bytes.Buffer
			err := write(&file)
			write = func(to *bytes.Buffer) error { *to = file; return err }
		}
		p.serveRead(w, r, of, write)
	})
}

// serveRead answers with what is made of a profile that is written in turn.
func (p *Profiler) serveRead(w http.ResponseWriter, r *http.Request, of func(*profile.Profile) any, write func(*bytes.Buffer) error) {
	var packed *page.Packed
	err := p.inTurn(r, func() error {
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
		p.sent(packed.Send(w))
	case r.Context().Err() != nil: // nobody waits for it
	case errors.Is(err, errNoMoments):
		page.Error(w, err.Error(), http.StatusNotFound)
	default:
		p.refuse(w, err)
	}
}

// errNoMoments says that there is nothing to compare.
var errNoMoments = errors.New("cgoheap: no two moments can be compared")

// between writes a profile of how the stacks that are kept for suspects have changed from one moment to another.
func (p *Profiler) between(from, to time.Time, packed pprof.Compression, file *bytes.Buffer) error {
	defer p.recording.Reading()()
	change, err := p.suspects.Between(from, to)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoMoments, err)
	}
	snapshot, err := p.recording.Snapshot()
	if err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	h := newHeaps(snapshot, false)
	h.native.Start, h.native.Time, h.native.Samples = change.From, change.To, nil
	for _, s := range snapshot.Samples {
		if grown, changed := change.Bytes[s.ID]; changed {
			s.Values = stack.Values{InuseBytes: int64(grown)}
			h.native.Samples = append(h.native.Samples, s)
		}
	}
	s := Selection{View: View{kind: viewGrowth}, Compression: int(packed)}
	return p.compose(s, snapshot, h, func(r *report.Report) error {
		r.Header.Duration = change.To.Sub(change.From)
		r.Header.Comments = append(r.Header.Comments, "cgoheap: of the stacks that are watched for suspects; blocks are not counted")
		if change.Cut {
			r.Header.Comments = append(r.Header.Comments, "cgoheap: only the 256 stacks that matter most are watched, and there are more")
		}
		return r.Write(file)
	})
}
