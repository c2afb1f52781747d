package main

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/cgoheap/cgoheap/internal/page"
)

// proxy shows the page of a service. The page's own files are this command's: what the service answers is data, and never becomes a script
// or a page of this address. It passes on what the page asks for, and nothing else of the service can be reached through it.
type proxy struct {
	*viewing
	to target
}

// passed are the pages of a service that are passed on, with the type that their answers have here.
var passed = map[string]string{
	"account": "application/json", "suspects": "application/json", "timeline": "application/json", "stacks": "application/json",
	"source":  "application/json",
	"metrics": "text/plain; charset=utf-8", "profile": "application/octet-stream",
}

// changing are those that change something.
var changing = []string{page.PartTrim, page.PartSampling, page.PartDump}

// newProxy asks the service first, so that a wrong address is an error of the command.
func (v *viewing) newProxy(ctx context.Context, to target) (http.Handler, error) {
	x := &proxy{viewing: v, to: to}
	if _, err := x.about(ctx); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	servePage(mux)
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, r *http.Request) {
		a, err := x.about(r.Context())
		if err != nil {
			page.Error(w, "cgoheap: "+err.Error(), http.StatusBadGateway)
			return
		}
		_ = page.WriteJSON(w, r, a)
	})
	for name, kind := range passed {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) { x.pass(w, r, name, kind) })
	}
	for _, name := range changing {
		mux.HandleFunc("POST /"+name, func(w http.ResponseWriter, r *http.Request) { x.change(w, r, name) })
	}
	return mux, nil
}

// about asks the service what there is, and leaves out what it may not be asked for.
func (x *proxy) about(ctx context.Context) (*page.About, error) {
	var a page.About
	if err := x.ask(ctx, x.to.page("about"), &a); err != nil {
		return nil, err
	}
	a.Name = x.to.url.Host
	if !x.changes {
		a.Without = append(a.Without, changing...)
	}
	return &a, nil
}

// change passes on what changes something, if that is allowed and the page of this command asks.
func (x *proxy) change(w http.ResponseWriter, r *http.Request, name string) {
	err := page.FromHere(r)
	if !x.changes {
		err = errors.New("cgoheap: view changes nothing at a service without -changes")
	}
	if err != nil {
		page.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	x.pass(w, r, name, "text/plain; charset=utf-8")
}

// pass passes an answer on. Of the service's headers, only the one about packing comes here.
func (x *proxy) pass(w http.ResponseWriter, r *http.Request, name, kind string) {
	u := x.to.page(name)
	u.RawQuery = r.URL.RawQuery
	headers := http.Header{"Accept": {kind}, "Accept-Encoding": {"gzip"}}
	if r.Method != http.MethodGet {
		headers.Set(page.Header, "1")
	}
	answer, err := x.do(r.Context(), r.Method, u, headers)
	if err != nil {
		page.Error(w, "cgoheap: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	status := answer.StatusCode
	if status != http.StatusOK {
		kind, status = "text/plain; charset=utf-8", max(status, http.StatusBadRequest)
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	if kind == "application/octet-stream" {
		h.Set("Content-Disposition", page.Attachment)
	}
	if answer.Header.Get("Content-Encoding") == "gzip" {
		h.Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(status)
	if n, err := io.Copy(w, io.LimitReader(answer.Body, mostProfile+1)); err != nil || n > mostProfile {
		panic(http.ErrAbortHandler) // so that the browser does not take a part for the whole
	}
}
