//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/serve"
)

func TestABrowserGetsThePageAndOthersTheList(t *testing.T) {
	p := start(t, everything)
	browser := askPage(p, http.MethodGet, page.Folder, "text/html,application/xhtml+xml,*/*;q=0.8")
	if !strings.Contains(browser.Body.String(), "<!doctype html>") || !strings.Contains(browser.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%v: %.200s", browser.Header(), browser.Body)
	}
	if list := askPage(p, http.MethodGet, page.Folder, "*/*"); !strings.HasPrefix(list.Body.String(), "about ") {
		t.Errorf("%.200s", list.Body)
	}
	for _, name := range []string{"main.js", "page.css", "uPlot.iife.min.js"} {
		if file := askPage(p, http.MethodGet, page.Folder+"files/"+name, ""); file.Code != http.StatusOK {
			t.Error(name, file.Code)
		}
	}
}

func TestEachPageIsServed(t *testing.T) {
	for _, pattern := range page.Patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		request, answer := httptest.NewRequest(http.MethodOptions, strings.TrimSuffix(path, "{$}"), nil), httptest.NewRecorder()
		if new(Profiler).PagesHandler().ServeHTTP(answer, request); answer.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", pattern, answer.Code)
		}
	}
}

func TestWhatChangesSomethingNeedsTheHeader(t *testing.T) {
	p := start(t, everything)
	for _, path := range []string{"trim", "sampling?bytes=4096"} {
		answer := httptest.NewRecorder()
		p.PagesHandler().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "http://localhost"+page.Folder+path, nil))
		if answer.Code != http.StatusForbidden || !strings.Contains(answer.Body.String(), page.Header) || p.recording.SampleBytes() != 1 {
			t.Error(path, answer.Code, answer.Body)
		}
	}
	if answer := askPage(p, http.MethodPost, page.Folder+"sampling?bytes=4096", ""); answer.Code != http.StatusOK || p.recording.SampleBytes() != 4096 {
		t.Error(answer.Code, answer.Body)
	}
	for _, query := range []string{"", "?bytes=-1", "?bytes=x", "?interval=3"} {
		if answer := askPage(p, http.MethodPost, page.Folder+"sampling"+query, ""); answer.Code != http.StatusBadRequest {
			t.Error(query, answer.Code)
		}
	}
}

func stacksOf(t *testing.T, p *Profiler, query string) (s page.Stacks) {
	t.Helper()
	answer := askPage(p, http.MethodGet, page.Folder+"stacks"+query, "")
	if err := json.Unmarshal(answer.Body.Bytes(), &s); err != nil {
		t.Fatalf("%s: %d, %.300s", query, answer.Code, answer.Body)
	}
	return s
}

func TestStacksOfEachView(t *testing.T) {
	p := start(t, everything)
	profiletest.Play(t, func() {})
	for _, view := range []string{"inuse", "allocated", "peak", "age", "shortlived", "rss", "unreachable", "heldby", "pinned"} {
		if s := stacksOf(t, p, "?view="+view); s.View != view || s.Unit != "bytes" || s.Nodes == nil {
			t.Errorf("%s: %+v", view, s)
		}
	}
	s := stacksOf(t, p, "")
	if !strings.Contains(strings.Join(s.Texts, "\n"), "profiletest.Cache") || s.Total < 8000 {
		t.Error(s.Total, s.Texts)
	}
	for _, query := range []string{"?view=none", "?from=1", "?from=1&to=2", "?from=x&to=2&view=growth", "?from=1&to=2&view=growth&gc=1", "?nothing=1", "?view=peak&reset=1"} {
		if answer := askPage(p, http.MethodGet, page.Folder+"stacks"+query, ""); answer.Code != http.StatusBadRequest {
			t.Error(query, answer.Code, answer.Body)
		}
	}
	if answer := askPage(p, http.MethodGet, page.Folder+"profile?by=x", ""); answer.Code != http.StatusBadRequest {
		t.Error(answer.Code, answer.Body)
	}
}

// Two moments are 14 s apart at first.
func TestGrowthBetweenTwoMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	p := start(t, everything)
	if answer := askPage(p, http.MethodGet, page.Folder+"stacks?view=growth&from=1&to=2", ""); answer.Code != http.StatusNotFound {
		t.Error(answer.Code, answer.Body)
	}
	begin := time.Now()
	moments := func() int {
		list, err := p.Suspects()
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for _, s := range list {
			most = max(most, len(s.Series))
		}
		return most
	}
	kept := profiletest.Leak(100)
	time.Sleep(10 * alloc.LiveTick) // or the first moment does not count it
	await := func(n int) {
		eventually(t, "there are moments", func() bool { return moments() >= n })
	}
	await(1)
	profiletest.Play(t, func() {})
	await(2)
	query := fmt.Sprintf("?view=growth&from=%d&to=%d", begin.UnixMilli(), time.Now().UnixMilli())
	s := stacksOf(t, p, query)
	if !strings.Contains(strings.Join(s.Texts, "\n"), "profiletest.Cache") || s.Total < 8000 || s.View != "growth" {
		t.Error(s.Total, s.Texts)
	}
	if s.From < begin.Add(-time.Minute).UnixMilli() || s.From >= s.Time || s.Time > time.Now().UnixMilli() {
		t.Errorf("from %d to %d, which is not after %v", s.From, s.Time, begin)
	}
	answer := askPage(p, http.MethodGet, page.Folder+"stacks?view=growth&from=1&to=2", "")
	if answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "no stacks are kept of 1970-01-01 00:00:00 UTC") {
		t.Error(answer.Code, answer.Body)
	}
	file := askPage(p, http.MethodGet, page.Folder+"profile"+query, "")
	var sum int64
	for _, sample := range profiletest.Parse(t, file.Body).Sample {
		sum += sample.Value[len(sample.Value)-1]
	}
	if sum != s.Total {
		t.Errorf("the file has %d bytes, the tree %d", sum, s.Total)
	}
	_ = kept
}

func TestSourceOfAFunction(t *testing.T) {
	p := start(t, everything)
	profiletest.Cache(4321)
	made := stacksOf(t, p, "?view=inuse")
	shown := 0
	for _, l := range made.Lines {
		about := made.Functions[l[0]]
		if !strings.HasSuffix(made.Texts[about[0]], "profiletest.Cache") {
			continue
		}
		file := made.Texts[about[1]]
		inTree, trimmed := strings.CutPrefix(file, "github.com/cgoheap/cgoheap/") // as make test builds it; make names does not
		text, err := os.ReadFile(inTree)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(string(text), "\n")[l[1]-1]
		var got page.Source
		answer := askPage(p, http.MethodGet, fmt.Sprintf("%ssource?view=inuse&file=%s&near=%d", page.Folder, url.QueryEscape(file), l[1]), "")
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || !strings.Contains(want, "Malloc") || l[3] < 4321 {
			t.Errorf("%v: line %v is %q", err, l, want)
		}
		if trimmed != strings.Contains(got.Missing, "-trimpath") || !trimmed && got.Lines[l[1]] != want {
			t.Errorf("line %v: %+v, want %q", l, got, want)
		}
		shown++
	}
	if shown != 1 {
		t.Errorf("%d lines of Cache: %v", shown, made.Texts)
	}
	for _, query := range []string{"", "?file=x", "?near=3", "?file=x&near=0", "?file=x&near=1&by=tenant"} {
		if answer := askPage(p, http.MethodGet, page.Folder+"source"+query, ""); answer.Code != http.StatusBadRequest {
			t.Error(query, answer.Code)
		}
	}
	if answer := askPage(p, http.MethodGet, page.Folder+"stacks?view=inuse&file=x", ""); answer.Code != http.StatusBadRequest {
		t.Error(answer.Code)
	}
}

func TestAPageMakesADump(t *testing.T) {
	p := start(t, everything)
	if answer := askPage(p, http.MethodPost, page.Folder+"dump", ""); answer.Code != http.StatusNotFound {
		t.Error(answer.Code, answer.Body)
	}
	dir := t.TempDir()
	stop, err := p.StartDumps(DumpConfig{Dir: dir, Signals: []os.Signal{syscall.SIGUSR2}})
	if err != nil {
		t.Fatal(err)
	}
	answer := askPage(p, http.MethodPost, page.Folder+"dump", "")
	path := strings.TrimSuffix(strings.TrimPrefix(answer.Body.String(), "wrote "), "\n")
	file, err := os.ReadFile(path)
	if err != nil || filepath.Dir(path) != dir {
		t.Fatal(answer.Body, err)
	}
	profiletest.Parse(t, bytes.NewReader(file))
	stop()
	if answer := askPage(p, http.MethodPost, page.Folder+"dump", ""); answer.Code != http.StatusNotFound {
		t.Error("after stop: ", answer.Code, answer.Body)
	}
}

// slowReader is a client that reads only when the test lets it.
type slowReader struct {
	*httptest.ResponseRecorder
	asked, goOn chan struct{}
}

func (s *slowReader) Write(b []byte) (int, error) {
	close(s.asked)
	<-s.goOn
	return s.ResponseRecorder.Write(b)
}

func TestAClientThatReadsSlowlyHoldsNoOtherAnswerUp(t *testing.T) {
	p := start(t, Config{SampleBytes: 1, Suspects: true})
	handler := p.PagesHandler()
	slow := &slowReader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	var served sync.WaitGroup
	served.Go(func() { handler.ServeHTTP(slow, httptest.NewRequest(http.MethodGet, page.Folder+"stacks", nil)) })
	<-slow.asked
	for _, path := range []string{"stacks", "account?format=json", "suspects?format=json"} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, page.Folder+path, nil))
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d: %s", path, answer.Code, answer.Body)
		}
	}
	close(slow.goOn)
	served.Wait()
	if slow.Code != http.StatusOK || slow.Body.Len() == 0 {
		t.Errorf("%d, %d bytes", slow.Code, slow.Body.Len())
	}
}

// sinceOne is a profiler of which each request asks for the same.
type sinceOne struct {
	served
	query
}

func (s *sinceOne) Parse(string) (*serve.Query, error) {
	return &serve.Query{Text: s.text, Write: s.writer(&s.query)}, nil
}

func TestAClientThatReadsSlowlyHoldsNoBaseline(t *testing.T) {
	p := start(t, everything)
	b, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []bool{false, true} {
		slow := &slowReader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
		var all sync.WaitGroup
		source := &sinceOne{served{p}, query{Selection: Selection{View: ViewDelta(b)}, text: text}}
		server := serve.New(source, nil, p.config.Logger, p.failed)
		all.Go(func() {
			server.Profiles().ServeHTTP(slow, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
		})
		<-slow.asked
		if err := p.Write(io.Discard, Selection{View: ViewDelta(b)}); err != nil {
			t.Error(err)
		}
		close(slow.goOn)
		all.Wait()
		if slow.Code != http.StatusOK || slow.Body.Len() == 0 {
			t.Errorf("%d, %d bytes", slow.Code, slow.Body.Len())
		}
	}
}
