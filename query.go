package cgoheap

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// query is what the parameters of a request ask for.
type query struct {
	Selection
	wait  time.Duration // compare with the moment so long before
	text  bool          // for a person
	gc    bool          // collect Go's garbage first
	reset bool          // then forget the peak
}

// parameters read their value into a query.
var parameters = map[string]func(q *query, value string) error{
	"view":    func(q *query, value string) (err error) { q.View, err = viewNamed(value); return err },
	"older":   func(q *query, value string) (err error) { q.OlderThan, err = time.ParseDuration(value); return err },
	"within":  func(q *query, value string) (err error) { q.Within, err = time.ParseDuration(value); return err },
	"seconds": (*query).setSeconds,
	"heap":    (*query).setHeap,
	"samples": func(q *query, value string) (err error) { q.MaxSamples, err = strconv.Atoi(value); return err },
	"bytes": func(q *query, value string) (err error) {
		q.MaxBytes, err = strconv.ParseInt(value, 10, 64)
		return err
	},
	"bare":  func(q *query, value string) (err error) { q.BareAddresses, err = strconv.ParseBool(value); return err },
	"reset": func(q *query, value string) (err error) { q.reset, err = strconv.ParseBool(value); return err },
	"gc":    func(q *query, value string) (err error) { q.gc, err = strconv.ParseBool(value); return err },
	"debug": (*query).setDebug,
}

const longestWait = 24 * time.Hour

func (q *query) setSeconds(value string) error {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return err
	}
	if !(seconds >= 0 && seconds <= longestWait.Seconds()) {
		return fmt.Errorf("it must be from 0 to %v", longestWait.Seconds())
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

// setDebug is net/http/pprof's way to ask for text.
func (q *query) setDebug(value string) error {
	level, err := strconv.ParseUint(value, 10, 8)
	q.text = level > 0
	return err
}

// textStacks is how many stacks the text has, unless there is another bound.
const textStacks = 25

// parseQuery reads the parameters of a request; all have defaults, and none may be unknown, lest a profile be taken for
// what it is not.
func parseQuery(raw string) (q query, err error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, fmt.Errorf("cgoheap: the parameters %q: %w", raw, err)
	}
	for name, list := range values {
		set, known := parameters[name]
		if !known {
			return q, fmt.Errorf("cgoheap: there is no parameter %q", name)
		}
		for _, value := range list {
			if err := set(&q, value); err != nil {
				return q, fmt.Errorf("cgoheap: the parameter %s is %q: %w", name, value, err)
			}
		}
	}
	if q.text && q.MaxSamples == 0 {
		q.MaxSamples = textStacks
	}
	if q.reset && q.View != Peak {
		return q, fmt.Errorf("cgoheap: the parameter reset goes with view=peak only")
	}
	return q, q.possible()
}

// possible refuses a selection before anyone waits for it. The moment to compare with is not there yet.
func (q *query) possible() error {
	s := q.Selection
	if q.wait > 0 {
		s.Since = new(Moment)
	}
	_, err := s.check()
	if field := (fieldError{}); errors.As(err, &field) {
		return fmt.Errorf("cgoheap: the parameter %s %s", parameterOf[field.field], field.says)
	}
	return err
}

// parameterOf names the parameters that set the fields of Selection.
var parameterOf = map[string]string{
	"View": "view", "OlderThan": "older", "Within": "within", "Since": "seconds", "GoHeap": "heap",
	"MaxSamples": "samples", "MaxBytes": "bytes",
}
