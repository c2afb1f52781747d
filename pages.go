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
//	suspects   which stacks grow, how fast, and what that means: see Suspects; text or JSON, as account
//	timeline   what memory the process took in the last hour and days, as JSON, with Config.Timeline or BlackBox
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
			"trim     POST: malloc returns to the kernel what the program has freed\n")
	})
	mux.HandleFunc("GET "+pagesFolder+"account", p.serveAccount)
	mux.HandleFunc("GET "+pagesFolder+"suspects", p.serveSuspects)
	mux.HandleFunc("GET "+pagesFolder+"timeline", p.serveTimeline)
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
	asJSON, err := wantsJSON(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, err := p.Account()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if !asJSON {
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

// wantsJSON reports whether the answer is to be JSON. The parameter is stronger than the header.
func wantsJSON(r *http.Request) (bool, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false, fmt.Errorf("cgoheap: the parameters %q: %w", r.URL.RawQuery, err)
	}
	asJSON := strings.Contains(r.Header.Get("Accept"), "application/json")
	for name, list := range values {
		set, known := accountParameters[name]
		if !known {
			return false, fmt.Errorf("cgoheap: there is no parameter %q", name)
		}
		for _, value := range list {
			if err := set(&asJSON, value); err != nil {
				return false, fmt.Errorf("cgoheap: the parameter %s is %q; %w", name, value, err)
			}
		}
	}
	return asJSON, nil
}

// accountParameters maps the name of each parameter of the account to the function that parses its value.
var accountParameters = map[string]func(asJSON *bool, value string) error{"format": setFormat}

func setFormat(asJSON *bool, value string) error {
	if *asJSON = value == "json"; !*asJSON && value != "text" {
		return errors.New("it must be json or text")
	}
	return nil
}
