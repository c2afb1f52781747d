package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

// reporting is what the flags of report say.
type reporting struct {
	viewing
	file string
}

func prepareReport(flags *flag.FlagSet) action {
	var r reporting
	flags.StringVar(&r.file, "o", "", "the `file` to write (default cgoheap.html, the next one cgoheap-2.html)")
	r.shared.add(flags)
	r.addRoot(flags)
	r.service.add(flags, 2*time.Minute)
	return func(s *streams, names []string) (int, error) {
		if len(names) != 1 {
			return exitUnreadable, errors.New("one address, process number, profile or black box is needed")
		}
		p := targetOf(names[0])
		if err := r.check(flags, p); err != nil {
			return exitUnreadable, err
		}
		ctx, stop := interruptible()
		defer stop()
		r.in = s.in
		return exitGood, r.run(ctx, s, p)
	}
}

func (r *reporting) run(ctx context.Context, s *streams, p target) error {
	var answers map[page.Asked]json.RawMessage
	err := terminal.Progress(s.progress, "reading "+p.name, func() error {
		return await(ctx, func() error {
			shown, end, err := r.open(ctx, p)
			if err != nil {
				return err
			}
			defer end()
			answers, err = answersOf(ctx, shown)
			return err
		})
	})
	if err != nil {
		return err
	}
	path, err := r.write(func(w io.Writer) error { return page.WriteReport(w, answers) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: the page of %s, for any browser\n", path, p.name)
	return err
}

// writeReport writes the page of a profile that run has just written, with what the summary says of the program.
func (r *running) writeReport(sum *summary) error {
	from := source{shared: r.shared}
	t, err := from.ofFile(sum.File)
	if err != nil {
		return err
	}
	e := newFilePage(target{name: sum.File, file: sum.File}, t)
	e.Ended = sum.sentences()
	answers, err := answersOf(context.Background(), e.handler())
	if err != nil {
		return err
	}
	return newFile(r.report, func(w io.Writer) error { return page.WriteReport(w, answers) })
}

// write writes a new file and returns its path.
func (r *reporting) write(write func(io.Writer) error) (path string, err error) {
	if r.file != "" {
		return r.file, newFile(r.file, write)
	}
	return newNumbered("cgoheap.html", write)
}

// liveViews are the views of a living service that a report has. Growth would be between two moments that nobody has chosen.
var liveViews = []string{report.InUse.Name, report.RSS.Name, report.HeldBy.Name, report.Unreachable.Name, report.Peak.Name, report.ShortLived.Name, report.Device.Name}

// answersOf asks what a page is made of for all that a reader may want of it. What it does not have is left out.
func answersOf(ctx context.Context, shown http.Handler) (map[page.Asked]json.RawMessage, error) {
	answers := make(map[page.Asked]json.RawMessage)
	var about page.About
	text, err := answerOf(ctx, shown, page.Asked{Name: "about"})
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err != nil {
		return nil, err
	}
	names := liveViews
	if about.Views != nil {
		names = nil
		for _, v := range about.Views {
			names = append(names, v.Name)
		}
	}
	var there []string
	for _, view := range names {
		err := stacksOf(ctx, shown, view, answers)
		if err == nil {
			there = append(there, view)
		} else if len(names) == 1 || ctx.Err() != nil {
			return nil, err
		}
	}
	if len(there) == 0 {
		return nil, errors.New("it has no stacks")
	}
	for _, part := range []string{page.PartAccount, page.PartSuspects, page.PartTimeline} {
		if slices.Contains(about.Without, part) || part == page.PartSuspects && about.Ended != nil {
			continue
		}
		if text, err := answerOf(ctx, shown, page.Asked{Name: part}); err == nil {
			answers[page.Asked{Name: part}] = text
		} else {
			about.Without = append(about.Without, part)
		}
	}
	about.Without = append(about.Without, page.PartRefresh, page.PartTrim, page.PartSearch, page.PartSampling, page.PartDownload)
	if about.Views == nil {
		about.Views = offered(there...)
		about.Of = fmt.Sprintf("%s, process %d, as of %s", about.Name, about.PID, time.Now().UTC().Format(time.RFC3339))
	}
	about.Views = slices.DeleteFunc(about.Views, func(v page.View) bool { return !slices.Contains(there, v.Name) })
	answers[page.Asked{Name: "about"}], err = json.Marshal(about)
	return answers, err
}

// stacksOf adds the stacks of a view, as they are and by each label.
func stacksOf(ctx context.Context, shown http.Handler, view string, answers map[page.Asked]json.RawMessage) error {
	asked := page.Asked{Name: "stacks", View: view}
	text, err := answerOf(ctx, shown, asked)
	if err != nil {
		return err
	}
	var s struct{ Labels map[string]json.RawMessage }
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	answers[asked] = text
	for _, by := range slices.Sorted(maps.Keys(s.Labels)) {
		asked.By = by
		if answers[asked], err = answerOf(ctx, shown, asked); err != nil {
			return err
		}
	}
	return nil
}

// answerOf asks a handler as the page does, and returns its answer, or an error with its sentence.
func answerOf(ctx context.Context, shown http.Handler, a page.Asked) (json.RawMessage, error) {
	query := url.Values{}
	for name, value := range map[string]string{"view": a.View, "by": a.By} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if a.Name == page.PartAccount || a.Name == page.PartSuspects {
		query.Set("format", "json")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/"+a.Name+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	var got answer
	if caught := background.Guard("reading "+a.Name, func() { shown.ServeHTTP(&got, request) }); caught != nil {
		return nil, caught
	}
	text, err := got.text()
	if err == nil && got.status > http.StatusOK {
		err = errors.New(strings.TrimSpace(string(text)))
	}
	return text, err
}

// answer is what a handler answers.
type answer struct {
	header http.Header
	status int // 0 for 200
	body   bytes.Buffer
}

func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = make(http.Header)
	}
	return a.header
}

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// text returns the body, unpacked.
func (a *answer) text() ([]byte, error) {
	if a.header.Get("Content-Encoding") != "gzip" {
		return a.body.Bytes(), nil
	}
	z, err := gzip.NewReader(&a.body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, mostProfile))
}
