package page

import (
	"errors"
	"net/http"
	"strings"
)

// policy allows what the page's own folder has, and nothing else: no inline script or style, no other host, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Guard sets the headers that every answer for a browser has. They keep what foreign code wrote from being more than text.
func Guard(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Add("Vary", "Accept")
	h.Add("Vary", "Accept-Encoding")
}

// Header is what a request must have that changes something. A page of another host cannot send it: a browser asks the service
// first whether such a header is allowed from there, and gets no such answer.
const Header = "X-Cgoheap"

// FromHere returns nil for a request that may change something: it has Header, and if it says which page it comes from, that is one of
// this host.
func FromHere(r *http.Request) error {
	if r.Header.Get(Header) == "" {
		return errors.New("cgoheap: what changes something needs the header " + Header + ": 1, which no page of another host can send")
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return errors.New("cgoheap: the request comes from a page of another host")
	}
	if _, host, isURL := strings.Cut(r.Header.Get("Origin"), "://"); r.Header.Get("Origin") != "" && (!isURL || host != r.Host) {
		return errors.New("cgoheap: the request comes from a page of another host")
	}
	return nil
}

// WantsPage reports whether a person's browser asks.
func WantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
