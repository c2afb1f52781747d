package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/recovery"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/symbolize"
)

// look is what is seen of a process's memory at a moment. The account of a service is decoded into it.
type look struct {
	Source   string    `json:"source"`
	Time     time.Time `json:"time"`
	Total    string    `json:"total"` // what Bytes are
	Bytes    int64     `json:"rss"`   // the sum of Lines, unless a part is unknown
	Lines    []part    `json:"lines"`
	Suspects []suspect `json:"suspects"` // as the service says, or the sentences of a black box
	Notes    []string  `json:"notes,omitempty"`
}

type part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"resident"`
	Error int64  `json:"error,omitempty"`     // of an estimate from samples: half of its 95 % interval
	Grew  int64  `json:"grew_bytes,omitzero"` // since the first look
}

type suspect struct {
	Class    string `json:"class"`
	Sentence string `json:"sentence"`
}

// mostAnswer bounds what is read: a server may answer without end.
const mostAnswer = 16 << 20

// see returns the function that looks at a URL, a process, a profile or a black box.
func see(ctx context.Context, name string, timeout time.Duration) func() (*look, error) {
	if _, port, err := net.SplitHostPort(name); err == nil && port != "" && !exists(name) {
		name = "http://" + name
	}
	if u, err := url.Parse(name); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		client := &http.Client{Timeout: timeout}
		return func() (*look, error) { return seeService(ctx, client, u) }
	}
	names := symbolize.New(symbolize.Options{})
	if pid, err := strconv.Atoi(name); err == nil && pid > 0 {
		return func() (*look, error) { return seeProcess(pid, names) }
	}
	return func() (*look, error) {
		if strings.HasSuffix(name, ".box") {
			return seeBox(name, names)
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		p, err := readProfile(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return seeProfile(p), nil
	}
}

// seeService asks a service for its account and its suspects. The address may be the service's, or any of cgoheap's.
func seeService(ctx context.Context, client *http.Client, u *url.URL) (*look, error) {
	base := *u
	base.RawQuery, base.Fragment = "", ""
	base.Path, _, _ = strings.Cut(base.Path, "/debug/")
	l := &look{}
	if err := ask(ctx, client, base.JoinPath("debug/cgoheap/account"), l); err != nil {
		return nil, err
	}
	l.Total = "RSS"
	if err := ask(ctx, client, base.JoinPath("debug/cgoheap/suspects"), &l.Suspects); err != nil {
		l.Notes = append(l.Notes, "the suspects are missing: "+err.Error())
	}
	return l, nil
}

// ask decodes the JSON that a service answers with.
func ask(ctx context.Context, client *http.Client, u *url.URL, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", u.Redacted(), err)
	case answer.StatusCode != http.StatusOK:
		line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		return fmt.Errorf("%s: %s: %.300s", u.Redacted(), answer.Status, line)
	case len(text) > mostAnswer:
		return fmt.Errorf("%s: the answer is longer than %s", u.Redacted(), report.Bytes(mostAnswer))
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: the answer is not cgoheap's: %w", u.Redacted(), err)
	}
	return nil
}

// seeProcess reads all resident memory of a process from outside.
func seeProcess(pid int, names *symbolize.Symbolizer) (*look, error) {
	r, err := remote.ReadResident(pid)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := r.Write(&b, remote.View{View: report.RSS}, names); err != nil {
		return nil, err
	}
	p, err := readProfile(&b)
	if err != nil {
		return nil, err
	}
	l := seeProfile(p)
	l.Total = "RSS"
	return l, nil
}

// seeBox reads the black box of a process that is gone.
func seeBox(path string, names *symbolize.Symbolizer) (*look, error) {
	file, err := blackbox.Open(path, blackbox.Options{AnyUsers: os.Geteuid() == 0, Within: releaseTime})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	e, err := recovery.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer e.Close()
	var b bytes.Buffer
	if err := e.WriteProfile(&b, remote.View{View: report.InUse}, names); err != nil {
		return nil, err
	}
	p, err := readProfile(&b)
	if err != nil {
		return nil, err
	}
	l := seeProfile(p)
	for _, sentence := range e.Verdict() {
		l.Suspects = append(l.Suspects, suspect{"ended", sentence})
	}
	return l, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
