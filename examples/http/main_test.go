package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestMain records everything: the profiler reads the variable when the program begins, so it begins anew.
func TestMain(m *testing.M) {
	if os.Getenv("CGOHEAP_SAMPLE_BYTES") == "" {
		again := exec.Command(os.Args[0], os.Args[1:]...)
		again.Env = append(os.Environ(), "CGOHEAP_SAMPLE_BYTES=1", "CGOHEAP_SIGNAL=none")
		again.Stdout, again.Stderr = os.Stdout, os.Stderr
		if again.Run() != nil {
			os.Exit(1)
		}
		return
	}
	http.HandleFunc("POST /notes", handleNote)
	os.Exit(m.Run())
}

func send(t *testing.T, server *httptest.Server, size int) {
	t.Helper()
	answer, err := http.Post(server.URL+"/notes", "text/plain", bytes.NewReader(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
}

func get(t *testing.T, server *httptest.Server, path string) *bytes.Buffer {
	t.Helper()
	answer, err := http.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v\n%s", path, answer.Status, err, body.String())
	}
	return &body
}

// keptBy sums the last value, bytes, of the samples through a function.
func keptBy(p *profile.Profile, function string) (bytes int64) {
	for _, s := range p.Sample {
		if slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return slices.ContainsFunc(l.Line, func(line profile.Line) bool { return line.Function.Name == function })
		}) {
			bytes += s.Value[len(s.Value)-1]
		}
	}
	return bytes
}

func TestEveryRequestOfTheReadmeIsAnswered(t *testing.T) {
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	send(t, server, 100_000)
	const path = "/debug/pprof/cgoheap"
	const function = "github.com/cgoheap/cgoheap/examples/http.keepNote" // what handleNote calls may also start a thread, for which runtime/cgo allocates
	for query, least := range map[string]int64{
		"": 100_000, "?view=allocated": 100_000, "?view=peak": 100_000, "?heap=all&gc=1": 100_000, "?seconds=1": 100_000,
		"?view=growth&seconds=1": 0, "?view=age&older=10m": 0, "?view=shortlived&within=1s": 0,
	} {
		p, err := profile.Parse(get(t, server, path+query))
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if got := keptBy(p, function); got < least || least == 0 && got != 0 {
			t.Errorf("%s: %d bytes, want at least %d", query, got, least)
		}
	}
	if text := get(t, server, path+"?debug=1").String(); !strings.Contains(text, "handleNote") {
		t.Error(text)
	}
	if text := get(t, server, "/debug/pprof/cmdline").String(); text == "" {
		t.Error("net/http/pprof is not beside it")
	}
}

func TestGoToolPprofFetchesIt(t *testing.T) {
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	send(t, server, 100_000)
	command := exec.Command("go", "tool", "pprof", "-top", "-cum", server.URL+"/debug/pprof/cgoheap")
	command.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "handleNote") {
		t.Errorf("%v\n%s", err, out)
	}
}
