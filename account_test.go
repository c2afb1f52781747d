//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func askPage(p *Profiler, method, path, accept string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	request.Header.Set("Accept", accept)
	request.Header.Set("X-Cgoheap", "1")
	request.Host = "localhost"
	p.PagesHandler().ServeHTTP(answer, request)
	return answer
}

func TestLinesOfTheAccountAddUp(t *testing.T) {
	a, err := start(t, everything).Account()
	if err != nil || a.Partial != "" {
		t.Fatal(err, a)
	}
	var resident, swapped int64
	names := make(map[string]bool)
	for i, l := range a.Lines {
		resident, swapped = resident+l.Resident, swapped+l.Swapped
		if names[l.Name] || l.Sentence == "" || l.Known == "" || i > 0 && l.Resident > a.Lines[i-1].Resident {
			t.Errorf("%+v", l)
		}
		names[l.Name] = true
	}
	if resident != a.RSS || swapped != a.Swapped || a.RSS == 0 || len(a.OutsideRSS) == 0 {
		t.Errorf("the lines are %d resident and %d swapped: %+v", resident, swapped, a)
	}
	for _, name := range []string{account.GoObjects, account.Code, account.Tables} {
		if !names[name] {
			t.Errorf("there is no line %q", name)
		}
	}
}

func TestPageOfTheAccount(t *testing.T) {
	p := start(t, everything)
	for _, c := range []struct{ query, accept, kind string }{
		{"", "", "text/plain; charset=utf-8"},
		{"?format=text", "application/json", "text/plain; charset=utf-8"},
		{"?format=json", "", "application/json"},
		{"", "text/html, application/json;q=0.9", "application/json"},
	} {
		answer := askPage(p, http.MethodGet, "/debug/cgoheap/account"+c.query, c.accept)
		if got := answer.Header().Get("Content-Type"); answer.Code != http.StatusOK || got != c.kind {
			t.Errorf("%+v: %d, %s", c, answer.Code, got)
		}
		if c.kind == "application/json" {
			var a Account
			if err := json.Unmarshal(answer.Body.Bytes(), &a); err != nil || a.RSS == 0 || len(a.Lines) == 0 {
				t.Errorf("%+v: %v, %s", c, err, answer.Body)
			}
		} else if text := answer.Body.String(); !strings.HasPrefix(text, "RSS ") || !strings.Contains(text, account.GoObjects) {
			t.Errorf("%+v: %s", c, text)
		}
	}
	for path, code := range map[string]int{
		"/debug/cgoheap/account?format=xml": http.StatusBadRequest, "/debug/cgoheap/account?other=1": http.StatusBadRequest,
		"/debug/cgoheap/account?%zz": http.StatusBadRequest, "/debug/cgoheap/nothing": http.StatusNotFound,
	} {
		if answer := askPage(p, http.MethodGet, path, ""); answer.Code != code || answer.Body.Len() == 0 {
			t.Errorf("%s: %d, %s", path, answer.Code, answer.Body)
		}
	}
	if answer := askPage(p, http.MethodPost, "/debug/cgoheap/trim", ""); !strings.HasPrefix(answer.Body.String(), "returned ") {
		t.Errorf("trim: %d, %s", answer.Code, answer.Body)
	}
	if answer := askPage(p, http.MethodGet, "/debug/cgoheap/trim", ""); answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("trim by GET: %d", answer.Code)
	}
	if answer := askPage(p, http.MethodPost, "/debug/cgoheap/account", ""); answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", answer.Code)
	}
	if answer := askPage(p, http.MethodGet, "/debug/cgoheap/", ""); !strings.Contains(answer.Body.String(), "account") {
		t.Errorf("the folder lists %q", answer.Body)
	}
	p.Stop()
	if answer := askPage(p, http.MethodGet, "/debug/cgoheap/account", ""); answer.Code != http.StatusServiceUnavailable {
		t.Errorf("after Stop: %d", answer.Code)
	}
}

func TestTextBeginsWithTheAccount(t *testing.T) {
	p := start(t, everything)
	text := profiletest.Ask(p.Handler(), "debug=1").Body.String()
	at, total := strings.Index(text, "\nRSS "), strings.Index(text, "\ntotal: ")
	if at < 0 || total < at || !strings.Contains(text[at:total], account.Code) {
		t.Error(text)
	}
}

// Each text says what its bytes are, and how old blocks are at least.
func TestTextsSayWhatTheirBytesAre(t *testing.T) {
	p := start(t, everything)
	block := allocate(1000)
	defer victim.Free(block)
	for query, want := range map[string]string{"view=inuse": "in use", "view=rss": "resident", "view=growth&seconds=0.01": "grew by"} {
		text := profiletest.Ask(p.Handler(), query+"&debug=1").Body.String()
		if !strings.Contains(text, "\ntotal: "+want+" ") {
			t.Errorf("%s:\n%s", query, text)
		}
	}
	age := regexp.MustCompile(`(?m), at least \d+ (second|minute)s? old$`)
	if text := profiletest.Ask(p.Handler(), "view=age&debug=1").Body.String(); !age.MatchString(text) || strings.Contains(text, "age=") {
		t.Error(text)
	}
	if report.Pinned.InUse != "pinned" {
		t.Error("free memory is said to be in use")
	}
}

func TestTextOfAnAccount(t *testing.T) {
	a := Account{RSS: 300 << 20, Swapped: 1 << 20, Partial: "pagemap: permission denied",
		Lines: []AccountLine{
			{Name: account.Free, Resident: 200 << 20, Swapped: 1 << 20, Known: "figures"},
			{Name: account.Native, Resident: 100 << 20, Known: "estimate"},
			{Name: account.DeviceFiles, Resident: 64 << 10, Known: "counted", Detail: "/dev/nvidia0 64 KiB"},
			{Name: account.Files, ReadError: "permission denied", Known: "counted"},
		},
		Advice:     []string{"200 MiB of RSS is free memory"},
		Devices:    []AccountLine{{Name: "device memory, GPU 0: in use by this process", Resident: 8 << 30}, {Name: "device memory, GPU 0: in use by all processes", Resident: 9 << 30, Detail: "of 80 GiB"}},
		OutsideRSS: []AccountLine{{Name: "page cache", Resident: 1 << 30}, {Name: "tmpfs", ReadError: "no control group"}},
	}
	want := `RSS 300 MiB
and 1 MiB swapped out
partial: pagemap: permission denied
     200 MiB   66.7%  malloc: free, and 1 MiB swapped out
     100 MiB   33.3%  malloc: in use (estimate)
      64 KiB    0.0%  mapped device files (/dev/nvidia0 64 KiB)
         0 B    0.0%  mapped data files, not readable: permission denied
200 MiB of RSS is free memory
not in RSS
       1 GiB          page cache
         0 B          tmpfs, not readable: no control group
on devices, and not in RSS
       8 GiB          device memory, GPU 0: in use by this process
       9 GiB          device memory, GPU 0: in use by all processes (of 80 GiB)
`
	if diff := cmp.Diff(want, a.String()); diff != "" {
		t.Error(diff)
	}
	if got, want := a.summary(), "RSS 300 MiB (partial): 200 MiB malloc: free, 100 MiB malloc: in use, 64 KiB mapped device files, 0 B mapped data files"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each figure differs, so that one in a wrong place shows.
func TestTextOfArenas(t *testing.T) {
	arenas := func(n int) (list []account.Arena) {
		for i := range uint64(n) {
			list = append(list, account.Arena{Number: int(i), FreeResident: (10 + i%7) << 20, Trimmable: i << 20, Pinned: i << 10})
		}
		return list
	}
	kept := func(m account.Malloc) account.Malloc {
		for _, a := range m.ByArena {
			m.FreeResident, m.Trimmable, m.Pinned = m.FreeResident+a.FreeResident, m.Trimmable+a.Trimmable, m.Pinned+a.Pinned
		}
		m.HasResidency = true
		return m
	}
	made := newAccount(&account.Account{RSS: account.Size{Resident: 190 << 20}, Malloc: []account.Malloc{
		kept(account.Malloc{Name: "glibc", Arenas: 28, ByArena: arenas(28), ShareRead: 0.5}),
		kept(account.Malloc{Name: "jemalloc", Arenas: 6, ByArena: arenas(6)}),
		kept(account.Malloc{Name: "one", Arenas: 1, ByArena: arenas(1)}),
		{Name: "tcmalloc", FreeResident: 30 << 20, Trimmable: 20 << 20, Pinned: 10 << 20},
		{Name: "little", Arenas: 3, FreeResident: 1 << 20},
		{Name: "musl", Unknown: "no figures"},
	}}, nil, nil)
	text := made.String()
	text = text[strings.Index(text, "    resident "):]
	want := `    resident   trimmable      pinned  free memory of glibc (estimated from 50 % of it)
      16 MiB       6 MiB       6 KiB  arena 6
      16 MiB      13 MiB      13 KiB  arena 13
      16 MiB      20 MiB      20 KiB  arena 20
      16 MiB      27 MiB      27 KiB  arena 27
      15 MiB       5 MiB       5 KiB  arena 5
     285 MiB     307 MiB     307 KiB  23 other arenas
     364 MiB     378 MiB     378 KiB  in all 28 arenas
    resident   trimmable      pinned  free memory of jemalloc
      15 MiB       5 MiB       5 KiB  arena 5
      14 MiB       4 MiB       4 KiB  arena 4
      13 MiB       3 MiB       3 KiB  arena 3
      12 MiB       2 MiB       2 KiB  arena 2
      11 MiB       1 MiB       1 KiB  arena 1
      10 MiB         0 B         0 B  arena 0
      75 MiB      15 MiB      15 KiB  in all 6 arenas
    resident   trimmable      pinned  free memory of one
      10 MiB         0 B         0 B  in its one arena
    resident   trimmable      pinned  free memory of tcmalloc
      30 MiB      20 MiB      10 MiB  in all
free memory of musl: not readable: no figures
`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTheShareThatWasReadIsOneFigure(t *testing.T) {
	for share, percent := range map[float64]string{0.001: "1", 0.046: "4", 0.096: "9", 0.596: "59", 0.996: "99"} {
		m := account.Malloc{Name: "glibc", Arenas: 1, HasResidency: true, ShareRead: share, FreeResident: 500 << 20, Trimmable: 400 << 20}
		a := newAccount(&account.Account{RSS: account.Size{Resident: 1 << 30}, Malloc: []account.Malloc{m}}, nil, nil)
		if text := a.String(); strings.Count(text, " % of ") != 2 || strings.Count(text, " "+percent+" % of ") != 2 {
			t.Errorf("%g: %s", share, text)
		}
	}
}

func TestAnAccountThatCannotBeReadSaysWhy(t *testing.T) {
	p := start(t, everything)
	a, err := p.recording.AccountNow(usage.Kernel{Proc: t.TempDir(), Cgroups: t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made := newAccount(a, usage.Kernel{Proc: t.TempDir()}.OutsideRSS(), nil)
	if !strings.Contains(made.Partial, "maps") || !strings.Contains(made.String(), "not readable") || made.OutsideRSS[0].ReadError == "" ||
		made.RSS < 1<<20 || !strings.Contains(made.String(), "the profiler's tables") || !strings.Contains(made.Partial, "RSS is the sum") {
		t.Errorf("%+v", made)
	}
}
