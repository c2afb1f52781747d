//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/terminal"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func ranTop(arguments ...string) (code int, out, trouble string) {
	var o, e strings.Builder
	code = run(append([]string{"top"}, arguments...), nil, &o, &e)
	return code, o.String(), e.String()
}

// answering serves an account that grows by a MiB with each request, and a suspect whose name would colour a terminal.
func answering(t *testing.T) string {
	t.Helper()
	asked := 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /a/debug/cgoheap/account", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"time":"2026-11-20T10:15:%02dZ","rss":%d,"lines":[{"name":"malloc: in use","resident":%d},{"name":"Go: heap in use","resident":1048576}]}`,
			asked, (4+asked)<<20, (3+asked)<<20)
		asked++
	})
	mux.HandleFunc("GET /a/debug/cgoheap/suspects", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"class":"grows","sentence":"\u001b[31mqueue_push\u202e (queue.c:7), called from main.work: 3 ± 0.1 MiB in use, grows by 1 MiB per minute",
			"stack":["queue_push","main.work","main.(*service).handle-fm","net/http.serve"]}]`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/a"
}

func TestALookAtAServiceIsStableText(t *testing.T) {
	base := answering(t)
	url := base + "/debug/pprof/cgoheap?debug=1"
	code, out, trouble := ranTop("-n", "2", "-every", "1ms", url)
	want := `RSS 4 MiB  URL
    3 MiB  75.0% #########     malloc: in use
    1 MiB  25.0% ###           Go: heap in use
suspects
1. main.(*service).handle: \u001b[31mqueue_push\u202e (queue.c:7), called from
   main.work: 3 ± 0.1 MiB in use, grows by 1 MiB per minute
RSS 5 MiB  +1 MiB in 1s  URL
    4 MiB  80.0% ##########      +1 MiB  malloc: in use
    1 MiB  20.0% ##                      Go: heap in use
suspects
1. main.(*service).handle: \u001b[31mqueue_push\u202e (queue.c:7), called from
   main.work: 3 ± 0.1 MiB in use, grows by 1 MiB per minute
`
	if got := strings.ReplaceAll(out, url, "URL"); code != exitGood || trouble != "" || got != want {
		t.Errorf("exit code %d, %q, got\n%s\nwant\n%s", code, trouble, got, want)
	}
}

func TestLooksAsJSON(t *testing.T) {
	code, out, trouble := ranTop("-json", "-n", "3", "-every", "1ms", strings.TrimPrefix(answering(t), "http://")) // HOST:PORT/PATH
	decoder, looks := json.NewDecoder(strings.NewReader(out)), 0
	for ; decoder.More(); looks++ {
		var l overview
		if err := decoder.Decode(&l); err != nil || l.Bytes != int64(4+looks)<<20 || l.Lines[0].Grew != int64(looks)<<20 ||
			!strings.HasPrefix(l.Suspects[0].Sentence, "\x1b[31mqueue_push\u202e") {
			t.Errorf("%v, %+v", err, l)
		}
	}
	if code != exitGood || looks != 3 || strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("exit code %d, %d looks, %q, %q", code, looks, out, trouble)
	}
}

func TestALookAtAProcessAndAtWhatItLeaves(t *testing.T) {
	dir := toolchain.Memory(t)
	box, kill := recorded(t, dir)
	pid := pidOf(t, box)
	code, out, trouble := ranTop("-json", pid)
	checkLook(t, code, out, trouble, overview{Total: "RSS"}, 1) // it has touched the first page of the block
	kill(syscall.SIGKILL)
	code, out, trouble = ranTop("-json", box)
	checkLook(t, code, out, trouble, overview{Total: "in use", Suspects: make([]suspect, 3)}, leaked)
	if !exists(box) {
		t.Error("the box is gone")
	}
	if code, out, trouble := ran(box); code != exitGood {
		t.Fatalf("%d, %q, %q", code, out, trouble)
	}
	code, out, trouble = ranTop("-json", profileOf(box))
	checkLook(t, code, out, trouble, overview{Total: "in use"}, leaked)
}

// pidOf reads the process's number in the name of its box: cgoheap.PROGRAM.HOST.PID.TIME.box.
func pidOf(t *testing.T, box string) string {
	t.Helper()
	parts := strings.Split(filepath.Base(box), ".")
	pid := parts[len(parts)-3]
	if _, err := strconv.Atoi(pid); err != nil {
		t.Fatal(box)
	}
	return pid
}

func checkLook(t *testing.T, code int, out, trouble string, want overview, least int64) {
	t.Helper()
	var l struct {
		Total      string
		RSS, Bytes *int64
		Lines      []struct {
			Name            string
			Resident, Bytes *int64
		}
		Suspects []suspect
	}
	if err := json.Unmarshal([]byte(out), &l); err != nil || code != exitGood || l.Total != want.Total || len(l.Suspects) != len(want.Suspects) {
		t.Fatalf("exit code %d, %v, %q, %q", code, err, out, trouble)
	}
	value := func(resident, bytes *int64) int64 {
		if (resident != nil) != (l.Total == "RSS") || (bytes != nil) == (resident != nil) {
			t.Fatalf("of %s: %s", l.Total, out)
		}
		return *cmp.Or(resident, bytes)
	}
	var sum, leak int64
	for _, p := range l.Lines {
		n := value(p.Resident, p.Bytes)
		sum += n
		if strings.Contains(p.Name, "victim.Malloc") {
			leak += n
		}
	}
	if all := value(l.RSS, l.Bytes); sum != all || leak < least {
		t.Errorf("the lines add up to %d, the total is %d; %d leaked\n%s", sum, all, leak, out)
	}
}

func TestALookThatCannotBeTakenSaysWhy(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/busy/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "cgoheap: stopped\x1b[2J", http.StatusServiceUnavailable)
	})
	mux.HandleFunc("/page/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
	mux.HandleFunc("/long/", func(w http.ResponseWriter, _ *http.Request) {
		for block := make([]byte, 1<<20); ; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/hangs/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	defer server.Close()
	empty := written(t, func(p *profile.Profile) { p.Sample = nil })
	for about, c := range map[string]struct {
		arguments []string
		says      string
	}{
		"nothing":         {nil, "one address, process number, profile or black box is needed"},
		"a negative wait": {[]string{"-every", "-1s", "1"}, "-every must be more than 0"},
		"no file":         {[]string{"nothing"}, "no such file"},
		"a folder":        {[]string{t.TempDir()}, "is a directory"},
		"another file":    {[]string{"top_test.go"}, "this is not a profile"},
		"no process":      {[]string{"2147483647"}, "there is no such process"},
		"no service":      {[]string{"http://127.0.0.1:1"}, "refused"},
		"an error":        {[]string{server.URL + "/busy"}, `503 Service Unavailable: cgoheap: stopped\u001b[2J`},
		"a page":          {[]string{server.URL + "/page"}, "the answer is not cgoheap's"},
		"without an end":  {[]string{server.URL + "/long"}, "the answer is longer than 16 MiB"},
		"one that hangs":  {[]string{"-timeout", "100ms", server.URL + "/hangs"}, "Timeout"},
	} {
		t.Run(about, func(t *testing.T) {
			if code, out, trouble := ranTop(c.arguments...); code != exitUnreadable || out != "" || !strings.Contains(trouble, c.says) || strings.Contains(trouble, "\x1b") {
				t.Errorf("exit code %d, %q, %q", code, out, trouble)
			}
		})
	}
	if code, out, trouble := ranTop(empty); code != exitGood || !strings.HasPrefix(out, "in the profile 0 B") {
		t.Errorf("exit code %d, %q, %q", code, out, trouble)
	}
}

func TestAFrameFitsTheTerminal(t *testing.T) {
	l := &overview{Total: "RSS", Bytes: 100, Notes: []string{strings.Repeat("long ", 50)}}
	for i := range 40 {
		l.Lines = append(l.Lines, part{Name: strings.Repeat("name", i), Bytes: 50})
		l.Suspects = append(l.Suspects, suspect{Class: "grows", Sentence: strings.Repeat("word ", 30)})
	}
	top := topping{source: "a\x1b", first: l}
	for _, f := range []frame{{columns: 80, rows: 24, blocks: true}, {columns: 40, rows: 8}, {columns: 20, rows: 3}, {columns: 20, rows: 2, failed: strings.Repeat("long ", 50)}} {
		lines := top.lines(l, f)
		if len(lines) > f.rows {
			t.Errorf("%d lines in %d rows", len(lines), f.rows)
		}
		for _, line := range lines {
			if terminal.Width(line) > max(f.columns, 30) || strings.Contains(line, "\x1b") {
				t.Errorf("%d columns: %q", f.columns, line)
			}
		}
	}
}

func TestAFailedLookIsShownOnce(t *testing.T) {
	l := &overview{Total: "RSS", Bytes: 100, Lines: []part{{Name: "malloc: in use", Bytes: 100}}}
	top := topping{source: "a", first: l}
	text := strings.Join(top.lines(l, frame{columns: 80, rows: 24, failed: "connection\x1b refused"}), "\n")
	if strings.Count(text, `connection\u001b refused`) != 1 || strings.Contains(text, "q ends") {
		t.Error(text)
	}
}

func TestEstimatesAreSaidToBe(t *testing.T) {
	l := &overview{Total: "RSS", Bytes: 100, Lines: []part{{Name: "malloc: in use", Bytes: 60, Known: "estimate", Error: 2048},
		{Name: "malloc: free", Bytes: 30, Known: "estimate"}, {Name: "shared memory", Bytes: 10, Known: "counted"}}}
	top := topping{source: "a", first: l}
	text := strings.Join(top.lines(l, frame{columns: 80}), "\n") + "\n"
	for _, want := range []string{" malloc: in use (estimate ± 2 KiB)\n", " malloc: free (estimate)\n", " shared memory\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTheEndOfAProcessIsNoSuspect(t *testing.T) {
	l := &overview{Total: "in use", Bytes: 100, Suspects: []suspect{{Class: ended, Sentence: "it crashed"}}}
	top := topping{source: "a", first: l}
	if text := strings.Join(top.lines(l, frame{columns: 80}), "\n"); !strings.HasSuffix(text, "\nhow it ended\n1. it crashed") || strings.Contains(text, "suspects") {
		t.Error(text)
	}
}

func TestSuspectsThatAreSteadyNeedRoom(t *testing.T) {
	l := &overview{Total: "RSS", Bytes: 100, Suspects: []suspect{{Class: "grows", Sentence: "one grows"}, {Class: "steady", Sentence: "one is steady"}}}
	top := topping{source: "a", first: l}
	for rows, shown := range map[int]bool{0: true, 24: false, 25: true} {
		text := strings.Join(top.lines(l, frame{columns: 80, rows: rows}), "\n")
		if !strings.Contains(text, "1. one grows") || strings.Contains(text, "2. one is steady") != shown {
			t.Errorf("%d rows: %s", rows, text)
		}
	}
	l.Suspects = l.Suspects[1:]
	if text := strings.Join(top.lines(l, frame{columns: 80, rows: 24}), "\n"); strings.Contains(text, "suspects") {
		t.Error(text)
	}
}
