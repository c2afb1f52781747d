package cgoheap

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/serve"
	"github.com/cgoheap/cgoheap/pprof"
)

// query holds the parsed parameters of a request.
type query struct {
	Selection
	wait  time.Duration // the span of time that a delta covers; 0 for no delta
	text  bool          // plain text for a person
	gc    bool          // collect Go's garbage first
	reset bool          // forget the peak afterwards
}

// parameters maps the name of each parameter to the function that parses its value into a query.
var parameters = serve.Parameters[query]{
	"view":    func(q *query, value string) (err error) { q.View.kind, err = viewNamed(value); return err },
	"older":   func(q *query, value string) error { return setDuration(&q.View.olderThan, value) },
	"within":  (*query).setWithin,
	"seconds": (*query).setSeconds,
	"heap":    (*query).setHeap,
	"samples": func(q *query, value string) error { return serve.SetNumber(&q.MaxSamples, value) },
	"bytes":   func(q *query, value string) error { return serve.SetNumber(&q.MaxBytes, value) },
	"bare":    func(q *query, value string) error { return serve.SetFlag(&q.BareAddresses, value) },
	"reset":   func(q *query, value string) error { return serve.SetFlag(&q.reset, value) },
	"gc":      func(q *query, value string) error { return serve.SetFlag(&q.gc, value) },
	"debug":   (*query).setDebug,
}

func setDuration(d *time.Duration, value string) (err error) {
	if *d, err = time.ParseDuration(value); err != nil {
		return errors.New("it must be a duration, such as 90s, 10m or 1h30m")
	}
	return nil
}

// setWithin does not take 0, which View takes for the default.
func (q *query) setWithin(value string) error {
	err := setDuration(&q.View.within, value)
	if err == nil && q.View.within == 0 {
		err = fmt.Errorf("it must be one of %v", alloc.Lifetimes())
	}
	return err
}

const longestWait = 24 * time.Hour

func (q *query) setSeconds(value string) error {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds >= 0 && seconds <= longestWait.Seconds()) {
		return fmt.Errorf("it must be a number from 0 to %v", longestWait.Seconds())
	}
	q.wait = time.Duration(seconds * float64(time.Second))
	return nil
}

func (q *query) setHeap(value string) error {
	q.GoHeap = value == "all"
	if !q.GoHeap && value != "native" {
		return fmt.Errorf("it must be all or native")
	}
	return nil
}

// setDebug selects text, as net/http/pprof's parameter does.
func (q *query) setDebug(value string) error {
	level, err := strconv.ParseUint(value, 10, 8)
	if err != nil {
		return errors.New("it must be 1 for text, or 0")
	}
	q.text = level > 0
	return nil
}

// textStacks is the number of stacks in the text if the request sets no bound.
const textStacks = 25

// parseQuery parses the parameters of a request.
func parseQuery(raw string) (q query, err error) {
	values, err := parameters.Parse(&q, raw)
	if err != nil {
		return q, err
	}
	if v := &q.View; v.kind == viewUnreachable || v.kind == viewHeldBy {
		v.collect = q.gc
	}
	q.View.everyAge = q.View.kind == viewUnreachable && q.View.olderThan == 0 && values.Has("older")
	if q.text && q.MaxSamples == 0 {
		q.MaxSamples = textStacks
	}
	if err := q.fitting(); err != nil {
		return q, fmt.Errorf("cgoheap: the parameter %w", err)
	}
	return q, q.possible()
}

// fitting returns an error that names a parameter that the view does not take.
func (q *query) fitting() error {
	v := q.View
	switch {
	case v.olderThan != 0 && v.kind != viewAge && v.kind != viewUnreachable:
		return errors.New("older is for the views age and unreachable")
	case v.within != 0 && v.kind != viewShortLived:
		return errors.New("within is for the view shortlived")
	case q.wait > 0 && !viewings[v.kind].compares:
		return fmt.Errorf("seconds does not go with the view %v", v)
	case q.wait == 0 && v.kind == viewGrowth:
		return errors.New("seconds is needed by the view growth")
	case q.reset && v.kind != viewPeak:
		return errors.New("reset goes with view=peak only")
	}
	return nil
}

// possible checks the selection before the request waits. The Baseline does not exist yet.
func (q *query) possible() error {
	s := q.Selection
	if q.wait > 0 {
		s.View.since = new(Baseline)
	}
	_, err := s.check()
	if field := (*FieldError)(nil); errors.As(err, &field) {
		return fmt.Errorf("cgoheap: the parameter %s %w", parameterOf[field.Field], field.Err)
	}
	return err
}

// parameterOf maps the fields of Selection to the parameters that set them.
var parameterOf = map[string]string{
	"Selection.View": "view", "Selection.GoHeap": "heap", "Selection.MaxSamples": "samples", "Selection.MaxBytes": "bytes",
	"Selection.BareAddresses": "bare",
}

// treeSamples bounds the profiles that become trees.
const treeSamples = 20_000

// writer returns what writes the profile that the query asks for.
func (p *Profiler) writer(q *query) func(io.Writer, serve.Form, *serve.Baselines, <-chan struct{}) error {
	return func(w io.Writer, form serve.Form, since *serve.Baselines, ended <-chan struct{}) error {
		s := &request{Selection: q.Selection, text: form == serve.Text, ended: ended}
		if since != nil {
			s.View.since = baselineOf(since)
		}
		if form == serve.Tree {
			s.Compression = int(pprof.Uncompressed)
			if s.MaxSamples == 0 || s.MaxSamples > treeSamples {
				s.MaxSamples = treeSamples
			}
		}
		return p.report(s, func(r *report.Report) error {
			if form == serve.Text {
				return r.WriteText(w)
			}
			return r.Write(w)
		})
	}
}
