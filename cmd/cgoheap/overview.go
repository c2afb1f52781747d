package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/symbolize"
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

// printed is l for -json. What is not RSS has no names that say so.
func (l *overview) printed() any {
	if l.Total == "RSS" {
		return l
	}
	type row struct {
		Name  string `json:"name"`
		Bytes int64  `json:"bytes"`
		Grew  int64  `json:"grew_bytes,omitzero"`
	}
	rows := make([]row, len(l.Lines))
	for i, p := range l.Lines {
		rows[i] = row{p.Name, p.Bytes, p.Grew}
	}
	return struct {
		*overview
		Resident *int64 `json:"rss,omitempty"` // in place of the overview's
		Bytes    int64  `json:"bytes"`
		Lines    []row  `json:"lines"`
	}{l, nil, l.Bytes, rows}
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

// allViews are the views that a profile may be of.
var allViews = append(slices.Clone(views), report.Unreachable, report.HeldBy, report.Pinned)

// differenceView is what viewOf returns of a profile that diff -o wrote.
const differenceView = "difference"

// viewOf returns the view that a profile is of, by its comment; "" where none says so.
func viewOf(p *profile.Profile) string {
	for _, c := range p.Comments {
		if c == differenceComment {
			return differenceView
		}
		for _, v := range allViews {
			if strings.HasPrefix(c, "cgoheap: native memory "+v.About) {
				return v.Name
			}
		}
		if strings.HasPrefix(c, "cgoheap: native memory ") {
			words, _, _ := strings.Cut(strings.TrimPrefix(c, "cgoheap: native memory "), ",")
			return words
		}
	}
	return ""
}

// columnOf returns the column of a sample type, or, with "", the one that a person wants first; -1 if there is none.
func columnOf(p *profile.Profile, name string) int {
	if name == "" {
		name = cmp.Or(p.DefaultSampleType, "inuse_space")
	}
	column := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	if column < 0 && name == "inuse_space" {
		column = len(p.SampleType) - 1
	}
	return column
}

// profileOverview adds up what is in use by who holds it.
func profileOverview(t *taken) *overview {
	p := t.Profile
	l := &overview{Time: time.Unix(0, p.TimeNanos), Total: "in the profile"}
	column := len(p.SampleType) - 1
	if at := columnOf(p, "inuse_space"); at >= 0 && p.SampleType[at].Type == "inuse_space" {
		column, l.Total = at, "in use"
	}
	if column < 0 {
		l.Notes = append(l.Notes, "the profile has no values")
		return l
	}
	if t.resided {
		l.Total = "RSS"
	}
	l.addUp(p, column, nameOf)
	return l
}

// addUp makes lines of samples, the largest first.
func (l *overview) addUp(p *profile.Profile, column int, of func(*profile.Sample) string) {
	sums := map[string]int64{}
	for _, s := range p.Sample {
		sums[of(s)] += s.Value[column]
		l.Bytes += s.Value[column]
	}
	for name, bytes := range sums {
		if bytes != 0 {
			l.Lines = append(l.Lines, part{Name: name, Bytes: bytes})
		}
	}
	slices.SortFunc(l.Lines, func(a, b part) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name)) })
}

// accountIn returns the account of a profile of RSS: its leaves that are no functions, and the sums of its stacks.
func accountIn(p *profile.Profile) *overview {
	l := &overview{Time: time.Unix(0, p.TimeNanos), Total: "RSS"}
	column := columnOf(p, "inuse_space")
	if column < 0 {
		return nil
	}
	l.addUp(p, column, lineOf)
	sentences := map[string]string{}
	for _, c := range p.Comments {
		if about, found := strings.CutPrefix(c, "cgoheap: ["); found {
			name, sentence, _ := strings.Cut(about, "]: ")
			sentences[name] = sentence
		}
	}
	for i := range l.Lines {
		l.Lines[i].Sentence = sentences[l.Lines[i].Name]
	}
	return l
}

// lineOf returns the line of the account that a sample of a profile of RSS belongs to.
func lineOf(s *profile.Sample) string {
	if len(s.Location) == 1 && len(s.Location[0].Line) == 1 && s.Location[0].Line[0].Function != nil {
		if name, found := strings.CutPrefix(s.Location[0].Line[0].Function.Name, "["); found {
			return strings.TrimSuffix(name, "]")
		}
	}
	label := ""
	if list := s.Label[report.HeapLabel]; len(list) > 0 {
		label = list[0]
	}
	switch label {
	case "native":
		return account.Native
	case "go":
		return account.GoObjects
	case "mapped":
		return "mapped, by calls with stacks"
	}
	return "other stacks"
}

// nameOf returns who holds the blocks of a sample, as the verdict on a black box names them.
func nameOf(s *profile.Sample) string {
	var lines []symbolize.Line
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function != nil {
				lines = append(lines, symbolize.Line{Function: line.Function.Name, File: line.Function.Filename})
			}
		}
	}
	if len(lines) == 0 {
		return "unnamed code"
	}
	function, caller := recovery.HolderOf(lines)
	if caller != "" {
		function += ", from " + caller
	}
	return cmp.Or(function, "unnamed code")
}
