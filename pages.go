package cgoheap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/cgoheap/cgoheap/internal/report"
)

// pagesFolder is where the pages of PagesHandler lie.
const pagesFolder = "/debug/cgoheap/"

// PagesHandler serves the pages below /debug/cgoheap/, which are for people. Register it for that folder, as
// "/debug/cgoheap/". A GET of the folder lists them:
//
//	account    what the process's RSS consists of: see Account. format=json, or an Accept header that asks for
//	           application/json, makes it JSON
//	suspects   which stacks grow, how fast, and what that means: see Suspects; text or JSON, as account. search=1 looks for
//	           what points to their blocks before it answers: see SearchSuspects
//	timeline   what memory the process took in the last hour and days, as JSON, with Config.Timeline or BlackBox
//	metrics    the same in numbers, and more, for Prometheus: see Metrics
//	trim       a POST makes malloc return free memory to the kernel: see Trim. The answer reports how much
//
// Unknown parameters are answered with 400 and a sentence.
func (p *Profiler) PagesHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pagesFolder+"{$}", func(w http.ResponseWriter, _ *http.Request) {
		plainText(w)
		_, _ = io.WriteString(w, "account  what each resident byte of the process is; account?format=json\n"+
			"suspects which stacks grow, and what that means; suspects?format=json\n"+
			"timeline what memory the process took in the last hour and days, as JSON\n"+
			"metrics  all of it in numbers, for Prometheus\n"+
			"trim     POST: malloc returns to the kernel what the program has freed\n")
	})
	mux.HandleFunc("GET "+pagesFolder+"account", p.serveAccount)
	mux.HandleFunc("GET "+pagesFolder+"suspects", p.serveSuspects)
	mux.HandleFunc("GET "+pagesFolder+"timeline", p.serveTimeline)
	mux.HandleFunc("GET "+pagesFolder+"metrics", p.serveMetrics)
	mux.HandleFunc("POST "+pagesFolder+"trim", func(w http.ResponseWriter, _ *http.Request) {
		plainText(w)
		fmt.Fprintf(w, "returned %s to the kernel\n", report.Bytes(p.Trim()))
	})
	return mux
}

func plainText(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
}

func (p *Profiler) serveAccount(w http.ResponseWriter, r *http.Request) {
	q, err := parsePage(r, accountParameters)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, err := p.Account()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if !q.asJSON {
		plainText(w)
		_, _ = io.WriteString(w, a.String())
		return
	}
	p.serveJSON(w, a)
}

func (p *Profiler) serveJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		p.config.Logger.Debug("cgoheap: serving a page", slog.Any("error", err))
	}
}

// serveTimeline takes no parameters.
func (p *Profiler) serveTimeline(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery != "" {
		http.Error(w, fmt.Sprintf("cgoheap: the timeline has no parameters, and there are %q", r.URL.RawQuery), http.StatusBadRequest)
		return
	}
	t := p.timeline()
	if t == nil {
		http.Error(w, "cgoheap: no timeline is kept: set Config.Timeline (CGOHEAP_TIMELINE=true), or there was no room for it in Config.TableBytes",
			http.StatusNotFound)
		return
	}
	p.serveJSON(w, t)
}

// pageQuery holds the parsed parameters of a page.
type pageQuery struct {
	asJSON bool
	search bool // look for pointers first
}

// pageParameters maps the name of each parameter of a page to the function that parses its value.
type pageParameters map[string]func(q *pageQuery, value string) error

var (
	accountParameters  = pageParameters{"format": (*pageQuery).setFormat}
	suspectsParameters = pageParameters{
		"format": (*pageQuery).setFormat,
		"search": func(q *pageQuery, value string) error { return setFlag(&q.search, value) },
	}
)

// parsePage parses the parameters of a request. The one for JSON is stronger than the header.
func parsePage(r *http.Request, parameters pageParameters) (q pageQuery, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, fmt.Errorf("cgoheap: the parameters %q: %w", r.URL.RawQuery, err)
	}
	q.asJSON = strings.Contains(r.Header.Get("Accept"), "application/json")
	for name, list := range values {
		set, known := parameters[name]
		if !known {
			return q, fmt.Errorf("cgoheap: there is no parameter %q", name)
		}
		for _, value := range list {
			if err := set(&q, value); err != nil {
				return q, fmt.Errorf("cgoheap: the parameter %s is %q; %w", name, value, err)
			}
		}
	}
	return q, nil
}

func (q *pageQuery) setFormat(value string) error {
	if q.asJSON = value == "json"; !q.asJSON && value != "text" {
		return errors.New("it must be json or text")
	}
	return nil
}
