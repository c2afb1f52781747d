package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/report"
)

// A server may answer without end. A value of three bytes takes some 100 once it is decoded.
const (
	mostAnswer = 16 << 20 // bytes of a page
	mostCommas = 1 << 20  // between its values
)

// service is how services are asked.
type service struct {
	timeout time.Duration
	headers http.Header
	client  *http.Client
}

func (s *service) add(flags *flag.FlagSet, timeout time.Duration) {
	s.headers = make(http.Header)
	flags.DurationVar(&s.timeout, "timeout", timeout, "the `time` that a service may take to answer")
	flags.Func("header", "a `header` that services are sent, like 'Authorization: Bearer TOKEN'; may be repeated", func(text string) error {
		name, value, found := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !found || name == "" || strings.ContainsAny(text, "\r\n") {
			return errors.New("a header is NAME: VALUE")
		}
		s.headers.Add(name, strings.TrimSpace(value))
		return nil
	})
}

// check comes after the flags were parsed.
func (s *service) check() error {
	if s.timeout <= 0 {
		return errors.New("-timeout must be more than 0")
	}
	s.client = &http.Client{Timeout: s.timeout, CheckRedirect: stayThere}
	return nil
}

// stayThere follows redirects to the same host only: another one must not be sent the headers.
func stayThere(next *http.Request, via []*http.Request) error {
	if first := via[0].URL; next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
		return fmt.Errorf("the service sends on to another host, %s://%s", next.URL.Scheme, next.URL.Host)
	}
	if len(via) >= 10 {
		return errors.New("the service sends on in circles")
	}
	return nil
}

// do sends a request with the headers.
func (s *service) do(ctx context.Context, method string, u *url.URL, headers http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	for name, list := range headers {
		request.Header[name] = list
	}
	for name, list := range s.headers {
		request.Header[name] = list
		if http.CanonicalHeaderKey(name) == "Host" {
			request.Host = list[0]
		}
	}
	return s.client.Do(request)
}

// get returns an answer of at most so many bytes.
func (s *service) get(ctx context.Context, u *url.URL, accept string, most int64) ([]byte, error) {
	answer, err := s.do(ctx, http.MethodGet, u, http.Header{"Accept": {accept}})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", u.Redacted(), err)
	case answer.StatusCode != http.StatusOK:
		line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		return nil, fmt.Errorf("%s: %s: %.300s", u.Redacted(), answer.Status, line)
	case int64(len(text)) > most:
		return nil, fmt.Errorf("%s: the answer is longer than %s", u.Redacted(), report.Bytes(most))
	}
	return text, nil
}

// ask decodes the JSON that a service answers with.
func (s *service) ask(ctx context.Context, u *url.URL, into any) error {
	text, err := s.get(ctx, u, "application/json", mostAnswer)
	if err != nil {
		return err
	}
	if bytes.Count(text, []byte(",")) > mostCommas {
		return fmt.Errorf("%s: the answer has more values than a page of cgoheap", u.Redacted())
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: the answer is not cgoheap's: %w", u.Redacted(), err)
	}
	return nil
}
