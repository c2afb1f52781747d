package main

import (
	"context"
	"slices"
	"strings"
	"time"
)

// overview is what is seen of a process's memory at a moment. The account of a service is decoded into it.
type overview struct {
	Source   string    `json:"source,omitempty"`
	Time     time.Time `json:"time"`
	Total    string    `json:"total"` // what Bytes are
	Bytes    int64     `json:"rss"`   // the sum of Lines, unless a part is unknown
	Lines    []part    `json:"lines"`
	Suspects []suspect `json:"suspects"` // as the service says, or the sentences of a black box
	Notes    []string  `json:"notes,omitempty"`
}

type part struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"resident"`
	Known    string `json:"known,omitempty"`     // how a service knows it, such as "estimate"
	Error    int64  `json:"error,omitempty"`     // of an estimate from samples: half of its 95 % interval
	Grew     int64  `json:"grew_bytes,omitzero"` // since the first look
	Sentence string `json:"sentence,omitempty"`  // what it is
}

type suspect struct {
	Class    string   `json:"class"`
	Sentence string   `json:"sentence"`
	Stack    []string `json:"stack,omitempty"` // the innermost function first
}

// ended is the class of the sentences of a black box.
const ended = "ended"

// text is the sentence, after the outermost function of package main: often the handler of a request.
func (s *suspect) text() string {
	for _, function := range slices.Backward(s.Stack) {
		if strings.HasPrefix(function, "main.") && function != "main.main" {
			return strings.TrimSuffix(function, "-fm") + ": " + s.Sentence
		}
	}
	return s.Sentence
}

// overview looks at a target.
func (s *source) overview(ctx context.Context, p target) (*overview, error) {
	if p.url != nil {
		return s.serviceOverview(ctx, p)
	}
	t, err := s.take(ctx, p)
	if err != nil {
		return nil, err
	}
	l := profileOverview(t)
	if t.story != nil {
		for _, sentence := range t.story.Verdict {
			l.Suspects = append(l.Suspects, suspect{Class: ended, Sentence: sentence})
		}
	}
	return l, nil
}

// serviceOverview asks a service for its account and its suspects.
func (s *source) serviceOverview(ctx context.Context, p target) (*overview, error) {
	l := &overview{}
	if err := s.ask(ctx, p.page("account"), l); err != nil {
		return nil, err
	}
	l.Total = "RSS"
	if err := s.ask(ctx, p.page("suspects"), &l.Suspects); err != nil {
		l.Notes = append(l.Notes, "the suspects are missing: "+err.Error())
	}
	return l, nil
}
