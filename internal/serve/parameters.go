package serve

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
)

// Parameters maps the name of each parameter to the function that parses its value into a Q.
type Parameters[Q any] map[string]func(q *Q, value string) error

// Parse parses the parameters of a request into q, and returns them. All have defaults. An unknown one is an error: ignoring it would
// answer something else than the request meant.
func (p Parameters[Q]) Parse(q *Q, raw string) (url.Values, error) {
	values, err := parse(raw)
	if err != nil {
		return nil, err
	}
	for name := range values {
		if p[name] == nil {
			return nil, fmt.Errorf("cgoheap: there is no parameter %q", name)
		}
	}
	return values, p.set(q, values)
}

func parse(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fmt.Errorf("cgoheap: the parameters %q: %w", raw, err)
	}
	return values, nil
}

// set parses those of the values that it knows.
func (p Parameters[Q]) set(q *Q, values url.Values) error {
	for name, set := range p {
		for _, value := range values[name] {
			if err := set(q, value); err != nil {
				return fmt.Errorf("cgoheap: the parameter %s is %q: %w", name, value, err)
			}
		}
	}
	return nil
}

// SetNumber parses a whole number.
func SetNumber[T int | int64](n *T, value string) error {
	parsed, err := strconv.ParseInt(value, 10, 64)
	if err != nil || int64(T(parsed)) != parsed {
		return errors.New("it must be a whole number")
	}
	*n = T(parsed)
	return nil
}

// SetFlag parses 1 or 0, true or false.
func SetFlag(on *bool, value string) (err error) {
	if *on, err = strconv.ParseBool(value); err != nil {
		return errors.New("it must be 1 or 0, true or false")
	}
	return nil
}
