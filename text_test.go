//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

func TestTextForAPerson(t *testing.T) {
	p := start(t, everything)
	play(t, p)

	t.Run("it begins with what it is and the total, and the largest stack comes first", func(t *testing.T) {
		answer := ask(p, "debug=1")
		if kind := answer.Header().Get("Content-Type"); kind != "text/plain; charset=utf-8" {
			t.Error(kind)
		}
		text := answer.Body.String()
		for _, want := range []string{"native memory in use, and allocated since", "\ntotal: in use 8.75 KiB in 6 blocks, allocated 1.01 MiB in"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		_, first, _ := strings.Cut(text, "\n1. ")
		first, _, _ = strings.Cut(first, "\n2. ")
		if !strings.HasPrefix(first, "in use 3.91 KiB in 1 blocks, allocated 3.91 KiB in 1 blocks, blocks of 4000 bytes\n") ||
			!strings.Contains(first, "cgoheap.cache  ") || !strings.Contains(first, "views_test.go:") {
			t.Error(first)
		}
	})

	t.Run("stacks beyond the bound are added up", func(t *testing.T) {
		text := ask(p, "debug=1&samples=2").Body.String()
		if strings.Contains(text, "\n2. ") || !strings.Contains(text, " more: in use") {
			t.Error(text)
		}
	})

	t.Run("views show what they have", func(t *testing.T) {
		for view, want := range map[string]string{
			"peak":       "total: in use 1.01 MiB in 5 blocks\n",
			"shortlived": "1. allocated 1 MiB in 1 blocks, blocks of 1048576 bytes",
			"age":        ", age=1 seconds",
		} {
			if text := ask(p, "debug=1&view="+view).Body.String(); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", view, want, text)
			}
		}
	})
}

func TestGoToolPprofFetchesAProfileWithUnnamedAddresses(t *testing.T) {
	p := start(t, everything)
	play(t, p)
	mux := http.NewServeMux()
	mux.Handle("GET /debug/pprof/cgoheap", p.Handler())
	mux.Handle("POST /debug/pprof/symbol", SymbolHandler())
	server := httptest.NewServer(mux)
	defer server.Close()
	if !hasComment(take(t, p), "addresses without a name") {
		t.Skip("every address has a name here, so nothing is asked for")
	}
	command := exec.Command("go", "tool", "pprof", "-top", "-cum", server.URL+"/debug/pprof/cgoheap")
	command.Env = append(command.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := command.CombinedOutput()
	if err != nil || row(string(out), "leak") == nil {
		t.Errorf("%v\n%s", err, out)
	}
}
