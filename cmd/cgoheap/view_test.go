package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/recovery"
)

// opened returns what cgoheap view would serve.
func opened(t *testing.T, name string, change func(v *viewing)) http.Handler {
	t.Helper()
	v := &viewing{}
	v.name, v.within, v.timeout, v.headers = "inuse", time.Second, time.Minute, http.Header{}
	if change != nil {
		change(v)
	}
	if err := v.shared.check(); err != nil {
		t.Fatal(err)
	}
	if err := v.service.check(); err != nil {
		t.Fatal(err)
	}
	shown, end, err := v.open(context.Background(), targetOf(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return shown
}

func asked(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	h.ServeHTTP(answer, request)
	return answer
}

func askedJSON[T any](t *testing.T, h http.Handler, path string) (value T) {
	t.Helper()
	answer := asked(h, http.MethodGet, path)
	if err := json.Unmarshal(answer.Body.Bytes(), &value); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, answer.Code, err)
	}
	return value
}

func TestOnlyWhoKnowsTheAddressIsLetIn(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	d := newAccess(listener.Addr(), "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "in ", r.URL.Path) }))
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, d) }()
	base := "http://" + listener.Addr().String()
	for _, c := range []struct {
		path, host string
		status     int
	}{
		{d.secret, "", http.StatusOK},
		{d.secret, "localhost:1", http.StatusOK}, // through a tunnel
		{d.secret, "LocalHost", http.StatusOK},
		{d.secret, "[::1]:80", http.StatusOK},
		{d.secret, "evil.test", http.StatusForbidden},
		{d.secret, "localhost.evil.test", http.StatusForbidden},
		{d.secret, "127.0.0.1.evil.test:80", http.StatusForbidden},
		{d.secret, "192.0.2.1", http.StatusForbidden},
		{"/", "", http.StatusNotFound},
		{"/about", "", http.StatusNotFound},
		{strings.TrimSuffix(d.secret, "/") + "x/", "", http.StatusNotFound},
	} {
		request, err := http.NewRequest(http.MethodGet, base+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != c.status || (c.status == http.StatusOK) != (string(body) == "in /") || answer.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s of %q: %s, %q", c.path, c.host, answer.Status, body)
		}
	}
	if end(); <-ended != nil {
		t.Error("it does not end well")
	}
}

func TestTheAddressIsOneThatABrowserCanOpen(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4zero, Port: 7070}
	for asked, begin := range map[string]string{"0.0.0.0:7070": "http://localhost:7070/", ":7070": "http://localhost:7070/", "my.host:7070": "http://my.host:7070/"} {
		d := newAccess(at, asked, nil)
		if !strings.HasPrefix(d.url, begin) || len(d.secret) < 20 {
			t.Errorf("%s: %s", asked, d.url)
		}
	}
	request := httptest.NewRequest(http.MethodGet, "http://my.host:1/", nil)
	if !newAccess(at, "My.host:7070", nil).ours(request) || newAccess(at, ":7070", nil).ours(request) {
		t.Error("the name in -http, and only that, is this host")
	}
}

func TestAFileIsShown(t *testing.T) {
	text := filepath.Join(t.TempDir(), "some.c")
	if err := os.WriteFile(text, []byte("first\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := written(t, func(p *profile.Profile) {
		p.SampleType = []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}
		p.Sample[0].Value = []int64{3, 1000}
		p.Sample[0].Label = map[string][]string{"tenant": {"a"}}
		p.Function[0].Filename = text
	})
	h := opened(t, name, nil)
	if got := askedJSON[page.Source](t, h, "/source?near=2&file="+text); got.Lines[2] != "second" || got.Missing != "" {
		t.Errorf("%+v", got)
	}
	a := askedJSON[page.About](t, h, "/about")
	if len(a.Views) != 2 || a.Views[0].Name != "inuse_space" || !strings.Contains(a.Of, name) ||
		!strings.Contains(strings.Join(a.Without, " "), "sampling trim search refresh account timeline suspects") {
		t.Errorf("%+v", a)
	}
	for view, total := range map[string]int64{"": 1000, "inuse_space": 1000, "inuse_objects": 3} {
		if s := askedJSON[page.Stacks](t, h, "/stacks?by=tenant&view="+view); s.Total != total || len(s.Nodes) != 2 {
			t.Errorf("%s: %+v", view, s)
		}
	}
	file, err := os.ReadFile(name)
	if got := asked(h, http.MethodGet, "/profile"); err != nil || !bytes.Equal(got.Body.Bytes(), file) {
		t.Error("it is another file: ", err)
	}
	for path, status := range map[string]int{"/": 200, "/files/main.js": 200, "/account": 404, "/timeline": 404, "/suspects": 404, "/stacks?view=rss": 400, "/source?file=x&near=0": 400} {
		if got := asked(h, http.MethodGet, path); got.Code != status {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
	for _, path := range []string{"/trim", "/sampling", "/about"} {
		if got := asked(h, http.MethodPost, path, page.Header, "1"); got.Code < 400 {
			t.Errorf("POST %s: %d", path, got.Code)
		}
	}
}

func TestAnAccountIsReadFromAProfileOfRSS(t *testing.T) {
	name := written(t, func(p *profile.Profile) {
		p.SampleType[0].Type = "inuse_space"
		leaf := &profile.Function{ID: 2, Name: "[Go: heap free]"}
		l := &profile.Location{ID: 2, Line: []profile.Line{{Function: leaf}}}
		p.Function, p.Location = append(p.Function, leaf), append(p.Location, l)
		stack := p.Sample[0].Location
		p.Sample = []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{7}}, {Location: stack, Value: []int64{5}, Label: map[string][]string{"heap": {"native"}}},
			{Location: stack, Value: []int64{6}, Label: map[string][]string{"heap": {"native"}}}}
		p.Comments = []string{"cgoheap: native memory resident, and beside it everything else that is resident in the process, recorded since 2026-11-25 10:00:00 UTC, every allocation",
			"cgoheap: [Go: heap free]: kept by Go"}
	})
	l := askedJSON[overview](t, opened(t, name, nil), "/account")
	if l.Bytes != 18 || len(l.Lines) != 2 || l.Lines[0].Name != "malloc: in use" || l.Lines[0].Bytes != 11 || l.Lines[1].Sentence != "kept by Go" {
		t.Errorf("%+v", l)
	}
}

// proxied is a service that notes what it is sent.
func proxied(t *testing.T) (address string, seen func() []string) {
	t.Helper()
	var list []string
	mux := http.NewServeMux()
	mux.HandleFunc("/a/debug/cgoheap/", func(w http.ResponseWriter, r *http.Request) {
		list = append(list, strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("Authorization"), r.Header.Get(page.Header), r.Header.Get("Cookie"), r.Header.Get("Origin")}, "|"))
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Set-Cookie", "a=b")
		switch r.URL.Path {
		case "/a/debug/cgoheap/about":
			fmt.Fprint(w, `{"sample_bytes":7}`)
		case "/a/debug/cgoheap/timeline":
			http.Redirect(w, r, "http://evil.test/", http.StatusFound)
		case "/a/debug/cgoheap/suspects":
			http.Error(w, "<script>", http.StatusTeapot)
		default:
			fmt.Fprint(w, `<script>`)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/a", func() []string { return list }
}

func TestAServiceIsShownAndNotChanged(t *testing.T) {
	address, seen := proxied(t)
	h := opened(t, address+"/debug/cgoheap/account", func(v *viewing) { v.headers.Set("Authorization", "Bearer secret") })
	a := askedJSON[page.About](t, h, "/about")
	if a.SampleBytes != 7 || strings.Join(a.Without, " ") != "trim sampling dump" {
		t.Errorf("%+v", a)
	}
	got := asked(h, http.MethodGet, "/stacks?view=rss", "Cookie", "own=1", "Origin", "http://here")
	if got.Code != 200 || got.Header().Get("Content-Type") != "application/json" || got.Header().Get("Set-Cookie") != "" || got.Body.String() != "<script>" {
		t.Errorf("%d, %v, %q", got.Code, got.Header(), got.Body)
	}
	if got := asked(h, http.MethodGet, "/suspects"); got.Code != http.StatusTeapot || !strings.HasPrefix(got.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("%d, %v", got.Code, got.Header())
	}
	if got := asked(h, http.MethodGet, "/timeline"); got.Code != http.StatusBadGateway || !strings.Contains(got.Body.String(), "another host, http://evil.test") || got.Header().Get("Location") != "" {
		t.Errorf("%d, %v, %q", got.Code, got.Header(), got.Body)
	}
	before := len(seen())
	for _, path := range []string{"/trim", "/sampling?bytes=1", "/dump", "/account", "/other"} {
		if got := asked(h, http.MethodPost, path, page.Header, "1"); got.Code < 400 {
			t.Errorf("POST %s: %d", path, got.Code)
		}
	}
	if got := asked(h, http.MethodGet, "/other"); got.Code != http.StatusNotFound {
		t.Error(got.Code)
	}
	list := seen()
	if len(list) != before {
		t.Errorf("the service was asked: %q", list[before:])
	}
	for _, line := range list {
		if !strings.HasPrefix(line, "GET|/a/debug/cgoheap/") || !strings.HasSuffix(line, "|Bearer secret|||") {
			t.Error(line)
		}
	}
}

func TestAServiceIsChangedIfThatIsAllowed(t *testing.T) {
	address, seen := proxied(t)
	h := opened(t, address, func(v *viewing) { v.changes = true })
	if a := askedJSON[page.About](t, h, "/about"); len(a.Without) > 0 {
		t.Errorf("%+v", a)
	}
	before := len(seen())
	for _, headers := range [][]string{nil, {page.Header, "1", "Origin", "http://evil.test"}, {page.Header, "1", "Sec-Fetch-Site", "cross-site"}} {
		if got := asked(h, http.MethodPost, "/trim", headers...); got.Code != http.StatusForbidden || len(seen()) != before {
			t.Errorf("%v: %d", headers, got.Code)
		}
	}
	if got := asked(h, http.MethodPost, "/sampling?bytes=4096", page.Header, "1", "Origin", "http://example.com", "Sec-Fetch-Site", "same-origin"); got.Code != 200 {
		t.Error(got.Code)
	}
	if list := seen(); list[len(list)-1] != "POST|/a/debug/cgoheap/sampling?bytes=4096||1||" {
		t.Error(list)
	}
}

func TestHeadersStayWithTheirHost(t *testing.T) {
	got := ""
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("X-Token") }))
	defer other.Close()
	sends := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer sends.Close()
	for _, command := range []string{"top", "view"} {
		code, _, trouble := ranWith(t, "", command, "-header", "X-Token: secret", sends.URL)
		if code != exitUnreadable || got != "" || !strings.Contains(trouble, "sends on to another host") {
			t.Errorf("exit code %d, %q, %q", code, got, trouble)
		}
	}
}

func TestTheAccountOfTheLastMomentAddsUp(t *testing.T) {
	story := &recovery.Story{Account: []recovery.Line{{Name: "rss", Value: 100}, {Name: "go_heap", Value: 30}, {Name: "native", Value: 20}, {Name: "threads", Value: 9}}}
	l := lastMoment(story)
	if l.Bytes != 100 || len(l.Lines) != 3 || l.Lines[0].Name != "other" || l.Lines[0].Bytes != 50 || l.Lines[2].Name != "malloc: in use" {
		t.Errorf("%+v", l)
	}
	story.Account[1].Value = 95 // noted a moment later than RSS
	if l := lastMoment(story); len(l.Lines) != 2 || l.Lines[0].Bytes+l.Lines[1].Bytes != 100 {
		t.Errorf("%+v", l)
	}
	story.Account[1].Value, story.Account[2].Value = 30, 500<<10 // malloc's blocks were never written to
	if l := lastMoment(story); len(l.Lines) != 2 || l.Lines[0].Bytes != 70 || !strings.HasSuffix(l.Lines[0].Sentence, "; 500 KiB were noted, and no more than this can have been resident") {
		t.Errorf("%+v", l)
	}
	if l := lastMoment(&recovery.Story{}); l != nil {
		t.Errorf("%+v", l)
	}
}
