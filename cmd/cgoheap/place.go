package main

import (
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// place is what a name on the command line stands for: one of url, pid, box and file.
type place struct {
	name string
	url  *url.URL
	pid  int
	box  string
	file string // - is standard input
}

// placeOf tells it by the name. HOST:PORT is a service unless a file has that name.
func placeOf(name string) place {
	p := place{name: name}
	address := name
	if _, port, err := net.SplitHostPort(name); err == nil && port != "" && !exists(name) {
		address = "http://" + name
	}
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		p.url = u
		return p
	}
	if pid, err := strconv.Atoi(name); err == nil && pid > 0 {
		p.pid = pid
		return p
	}
	if strings.HasSuffix(name, ".box") {
		p.box = name
	} else {
		p.file = name
	}
	return p
}

// page returns the address of a page of the service's profiler. The service's address may be that of any page.
func (p *place) page(name string) *url.URL {
	base := *p.url
	base.RawQuery, base.Fragment = "", ""
	base.Path, _, _ = strings.Cut(base.Path, "/debug/")
	base.RawPath = ""
	return base.JoinPath("debug/cgoheap", name)
}

// isProfile reports whether the address is that of a profile itself, whose parameters say which.
func (p *place) isProfile() bool {
	return p.url != nil && (strings.HasSuffix(p.url.Path, "/debug/cgoheap/profile") || strings.Contains(p.url.Path, "/debug/pprof/"))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
