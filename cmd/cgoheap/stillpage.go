package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/page"
)

// stillPage is the page of what does not change any more: a profile, or a black box.
type stillPage struct {
	page.About
	account  *overview // nil if there is none
	timeline any       // nil if there is none
	profile  func(view string) (*taken, error)
	value    func(view string) string // the sample type that is shown of the view
}

// handler serves the page and what it asks for.
func (e *stillPage) handler() http.Handler {
	e.Timeline = e.timeline != nil
	e.Without = append(e.Without, page.PartSampling, page.PartTrim, page.PartSearch, page.PartRefresh)
	if e.account == nil {
		e.Without = append(e.Without, page.PartAccount)
	}
	if e.timeline == nil {
		e.Without = append(e.Without, page.PartTimeline)
	}
	if len(e.Ended) == 0 {
		e.Without = append(e.Without, page.PartSuspects)
	}
	mux := http.NewServeMux()
	servePage(mux)
	serveJSON(mux, "about", func() any { return &e.About })
	if e.account != nil {
		serveJSON(mux, "account", func() any { return e.account })
	}
	if e.timeline != nil {
		serveJSON(mux, "timeline", func() any { return e.timeline })
	}
	mux.HandleFunc("GET /stacks", e.serveStacks)
	mux.HandleFunc("GET /profile", e.serveProfile)
	mux.HandleFunc("GET /source", e.serveSource)
	return mux
}

// servePage serves the files of the page.
func servePage(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", page.ServeIndex)
	mux.HandleFunc("GET /files/{name}", func(w http.ResponseWriter, r *http.Request) { page.ServeFile(w, r, r.PathValue("name")) })
}

func serveJSON(mux *http.ServeMux, name string, value func() any) {
	mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
		_ = page.WriteJSON(w, r, value()) // it fails if the browser has gone
	})
}

// wanted returns the profile of the view that a request asks for, or answers with what is wrong.
func (e *stillPage) wanted(w http.ResponseWriter, r *http.Request) (view string, t *taken) {
	view = r.FormValue("view")
	if view == "" {
		view = e.Views[0].Name
	}
	if !slices.ContainsFunc(e.Views, func(v page.View) bool { return v.Name == view }) {
		page.Error(w, fmt.Sprintf("cgoheap: there is no view %q here", view), http.StatusBadRequest)
		return view, nil
	}
	t, err := e.profile(view)
	if err != nil {
		page.Error(w, "cgoheap: "+err.Error(), http.StatusInternalServerError)
		return view, nil
	}
	return view, t
}

func (e *stillPage) serveStacks(w http.ResponseWriter, r *http.Request) {
	if view, t := e.wanted(w, r); t != nil {
		made := page.NewStacks(t.Profile, page.Options{View: view, Value: e.value(view), By: r.FormValue("by")})
		_ = page.WriteJSON(w, r, made)
	}
}

// serveSource shows source of this machine, for a profile that was made of a program that was built here.
func (e *stillPage) serveSource(w http.ResponseWriter, r *http.Request) {
	_, t := e.wanted(w, r)
	if t == nil {
		return
	}
	near, err := page.ParseNear(r.Form["near"])
	if err != nil {
		page.Error(w, "cgoheap: "+err.Error(), http.StatusBadRequest)
		return
	}
	_ = page.WriteJSON(w, r, page.ReadSource(t.Profile, r.FormValue("file"), near))
}

func (e *stillPage) serveProfile(w http.ResponseWriter, r *http.Request) {
	if _, t := e.wanted(w, r); t != nil {
		_ = page.SendProfile(w, t.file) // it fails if the browser has gone
	}
}

// labels are what people call sample types and views.
var labels = map[string]string{"inuse_space": "in use", "inuse_objects": "blocks in use", "alloc_space": "allocated", "alloc_objects": "blocks allocated",
	"inuse": "in use", "allocated": "allocated since the start", "peak": "peak", "age": "by age", "shortlived": "short-lived", "device": "on devices", "rss": "RSS", "heldby": "held by", "unreachable": "unreachable"}

func offered(names ...string) (list []page.View) {
	for _, name := range names {
		label := labels[name]
		if label == "" {
			label = name
		}
		list = append(list, page.View{Name: name, Label: label, Title: name})
	}
	return list
}

// newFilePage shows a profile: each sample type is a view, and the one that viewers show first comes first.
func newFilePage(p target, t *taken) *stillPage {
	e := &stillPage{profile: func(string) (*taken, error) { return t, nil }, value: func(view string) string { return view }}
	var types []string
	for _, s := range t.SampleType {
		types = append(types, s.Type)
	}
	if at := columnOf(t.Profile, ""); at > 0 {
		first := types[at]
		types = append([]string{first}, slices.Delete(types, at, at+1)...)
	}
	e.Views = offered(types...)
	if t.resided {
		e.account = accountIn(t.Profile)
	}
	e.Name = filepath.Base(p.name)
	e.Of = p.name + ", a profile" + of(t) + ". "
	lacks := "An account, suspects and a timeline are"
	if e.account != nil {
		lacks = "Suspects and a timeline are"
	}
	if p.pid > 0 {
		e.Name = "process " + p.name
		e.Of = e.Name + ", read from outside" + of(t) + ". "
	}
	e.Of += lacks + " not in it."
	return e
}

// of says what a profile is of and from when, as far as it says so.
func of(t *taken) (text string) {
	if view := viewOf(t.Profile); view != "" {
		text = ", view " + view
	}
	if t.TimeNanos > 0 {
		text += ", of " + time.Unix(0, t.TimeNanos).UTC().Format(time.RFC3339)
	}
	return text
}
