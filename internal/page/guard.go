package page

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
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

// Hosts are the names by which a service may be asked, beside addresses and localhost: as path.Match has them, so "*.example.org" is
// any name below that. A page of any host can have its own name lead to the service (DNS rebinding), and is then of the same origin.
// So what changes something is answered under these names alone; and if there are any, so is everything else.
type Hosts []string

// Check returns an error that names a malformed pattern.
func (h Hosts) Check() error {
	for _, pattern := range h {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("has %q, which is no name of a host", pattern)
		}
	}
	return nil
}

func (h Hosts) has(r *http.Request) bool {
	name := HostName(r)
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" || name == "" { // of HTTP/1.0

		return true
	}
	return slices.ContainsFunc(h, func(pattern string) bool {
		matches, err := path.Match(strings.ToLower(pattern), name)
		return matches && err == nil
	})
}

// HostName returns the host that a request names, without the port.
func HostName(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func (h Hosts) foreign(r *http.Request) error {
	return fmt.Errorf("cgoheap: the request names the host %q, under which this is not answered: ask an address or localhost, or let the program "+
		"allow the name (Config.Hosts, CGOHEAP_HOSTS)", HostName(r))
}

// Reads returns nil for a request that changes nothing.
func (h Hosts) Reads(r *http.Request) error {
	if len(h) > 0 && !h.has(r) {
		return h.foreign(r)
	}
	return nil
}

// Changes returns nil for a request that may change something: it has Header, or is a GET that no browser has sent for a page of
// another host, as those of go tool pprof and curl are.
func (h Hosts) Changes(r *http.Request) error {
	if !h.has(r) {
		return h.foreign(r)
	}
	if r.Method == http.MethodGet && !byBrowser(r) {
		return nil
	}
	return FromHere(r)
}

// byBrowser reports whether a browser may have sent a request for a page. All of them begin their name so, and no page can change that
// in a request to another host, unless that host allows it. What a browser says of the page is only there over TLS and to localhost.
func byBrowser(r *http.Request) bool {
	h := r.Header
	return strings.HasPrefix(h.Get("User-Agent"), "Mozilla/") || h.Get("Origin") != "" || h.Get("Referer") != "" || h.Get("Sec-Fetch-Site") != ""
}

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
