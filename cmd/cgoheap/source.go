package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/symbolize"
)

// source reads the profile of whatever a name on the command line stands for.
type source struct {
	shared  // which view of a service, a process and a box
	service // how a service is asked
	in      io.Reader
}

// taken is a profile that was read.
type taken struct {
	*profile.Profile
	file    []byte          // as it was written
	story   *recovery.Story // of a box
	resided bool            // it is of all resident memory
}

// mostProfile bounds what is read of a service's answer. Package check bounds what is made of it.
const mostProfile = 256 << 20

// take reads the profile of a target. The parser meets foreign bytes, so a panic in it is an error.
func (s *source) take(ctx context.Context, p target) (t *taken, err error) {
	caught := background.Guard("reading "+p.name, func() {
		switch {
		case p.url != nil:
			t, err = s.ofService(ctx, p)
		case p.pid > 0:
			t, err = s.ofProcess(p.pid)
		case p.box != "":
			t, err = s.ofBox(p.box)
		default:
			t, err = s.ofFile(p.file)
		}
	})
	if err = errors.Join(caught, err); err != nil {
		return nil, err
	}
	t.resided = t.resided || viewOf(t.Profile) == report.RSS.Name
	return t, nil
}

func (s *source) ofService(ctx context.Context, p target) (*taken, error) {
	u := p.url
	if !p.isProfile() {
		u = p.page("profile")
		q := url.Values{"view": {s.name}}
		if s.view.Older > 0 {
			q.Set("older", s.view.Older.String())
		}
		if s.name == report.ShortLived.Name {
			q.Set("within", s.within.String())
		}
		u.RawQuery = q.Encode()
	}
	file, err := s.get(ctx, u, "application/octet-stream", mostProfile)
	if err != nil {
		return nil, err
	}
	t, err := readProfile(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	return t, nil
}

func (s *source) ofProcess(pid int) (*taken, error) {
	read := remote.Read
	if s.name == report.RSS.Name {
		read = remote.ReadResident
	}
	r, err := read(pid)
	if err != nil {
		return nil, err
	}
	return readBack(strconv.Itoa(pid), func(w io.Writer) error { return r.Write(w, s.view, symbolize.New(s.naming)) })
}

// ofBox reads a black box.
func (s *source) ofBox(path string) (*taken, error) {
	if s.name == report.RSS.Name {
		return nil, remote.ErrNoPages
	}
	e, err := s.openBox(path, releaseTime)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return s.ofExamined(e)
}

// ofExamined reads the profile of a box that is open.
func (s *shared) ofExamined(e *recovery.Examined) (*taken, error) {
	t, err := readBack("the black box", func(w io.Writer) error { return e.WriteProfile(w, s.view, symbolize.New(s.naming)) })
	if err != nil {
		return nil, err
	}
	t.story = e.Story()
	return t, nil
}

// openBox examines a box, which is only read. A process that has just ended has some time to be gone; see blackbox.Look.
func (s *shared) openBox(path string, within time.Duration) (e *recovery.Examined, err error) {
	file, lives, err := blackbox.Look(path, within)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if lives {
		e, err = recovery.OpenLiving(file)
	} else {
		e, err = recovery.Open(file)
	}
	if err != nil {
		return nil, err
	}
	if err := s.inRoot(e.Recording); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// readBack reads what was just written.
func readBack(name string, write func(io.Writer) error) (*taken, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	t, err := readProfile(&b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func (s *source) ofFile(name string) (*taken, error) {
	r := s.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	in, text := bufio.NewReader(r), bytes.Buffer{}
	if start, _ := in.Peek(2); string(start) != "\x1f\x8b" { // not gzipped
		r = io.TeeReader(in, &text)
	} else {
		r = in
	}
	t, err := readProfile(r)
	if file := fileIn(text.Bytes()); err != nil && file != "" {
		return ofSummary(name, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// fileIn returns which profile the last line names, if it is the summary of cgoheap run -json; "" if it is not.
func fileIn(text []byte) string {
	text = bytes.TrimSpace(text)
	var sum summary
	if json.Unmarshal(text[bytes.LastIndexByte(text, '\n')+1:], &sum) != nil || sum.Program == "" {
		return ""
	}
	return sum.File
}

// ofSummary reads the profile that a summary names: beside the summary, or else where the name leads from here.
func ofSummary(name, file string) (*taken, error) {
	path := filepath.Join(filepath.Dir(name), file)
	if filepath.IsAbs(file) || !exists(path) {
		path = file
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s is the summary of cgoheap run -json, and the profile that it names, %s, is neither beside it nor at that path: %w", name, file, err)
	}
	defer f.Close()
	t, err := readProfile(f)
	if err != nil {
		return nil, fmt.Errorf("%s, which the summary %s names: %w", path, name, err)
	}
	return t, nil
}

func readProfile(r io.Reader) (*taken, error) {
	file, err := check.Read(r)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(file.Raw)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("it is not a profile: %w", err)
	}
	return &taken{Profile: p, file: file.Packed}, nil
}

// target is what a name on the command line stands for: one of url, pid, box and file.
type target struct {
	name string
	url  *url.URL
	pid  int
	box  string
	file string // - is standard input
}

// targetOf tells it by the name. HOST:PORT is a service unless a file has that name.
func targetOf(name string) target {
	p := target{name: name}
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
	if strings.HasSuffix(name, ".box") || remote.IsBox(name) {
		p.box = name
	} else {
		p.file = name
	}
	return p
}

// page returns the address of a page of the service's profiler. The service's address may be that of any page.
func (p *target) page(name string) *url.URL {
	base := *p.url
	base.RawQuery, base.Fragment = "", ""
	base.Path, _, _ = strings.Cut(base.Path, "/debug/")
	base.RawPath = ""
	return base.JoinPath("debug/cgoheap", name)
}

// isProfile reports whether the address is that of a profile itself, whose parameters say which.
func (p *target) isProfile() bool {
	return p.url != nil && (strings.HasSuffix(p.url.Path, "/debug/cgoheap/profile") || strings.Contains(p.url.Path, "/debug/pprof/"))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
