package debugfile

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const someID = "00112233445566778899aabbccddeeff00112233"

func serve(t *testing.T, handler http.HandlerFunc) *Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &Server{URLs: []string{server.URL + "/"}, Cache: t.TempDir(), Timeout: 10 * time.Minute, MaxBytes: 1000}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) }
}

func TestAFileIsFetchedFromTheFirstServerThatHasIt(t *testing.T) {
	s := serve(t, http.NotFound)
	second := serve(t, text("debug data"))
	s.URLs = append(s.URLs, second.URLs...)
	path, err := s.fetch(someID)
	if err != nil || path != filepath.Join(s.Cache, someID, "debuginfo") {
		t.Fatal(path, err)
	}
	if got, err := os.ReadFile(path); string(got) != "debug data" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatAServerMustNotSend(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"nothing":  text(""),
		"too much": text(strings.Repeat("x", 1001)),
		"too much without saying so": func(w http.ResponseWriter, _ *http.Request) {
			for range 11 {
				_, _ = w.Write(make([]byte, 100))
				w.(http.Flusher).Flush()
			}
		},
		"less than it said": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			_, _ = w.Write(make([]byte, 100))
		},
		"an error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"slowly": func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done() // the client gives up
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, handler)
			if name == "slowly" {
				s.Timeout = 50 * time.Millisecond
			}
			begun := time.Now()
			path, err := s.fetch(someID)
			if err == nil || errors.Is(err, ErrNotOnServer) || errors.Is(err, context.DeadlineExceeded) != (name == "slowly") {
				t.Errorf("%q, %v", path, err)
			}
			if left, _ := filepath.Glob(filepath.Join(s.Cache, "*", "*")); len(left) > 0 {
				t.Errorf("the cache holds %v", left)
			}
			if s.pause.Sub(begun) < pauseAfterError {
				t.Errorf("a pause until %v, and the failure was after %v", s.pause, begun)
			}
			s.pause = s.pause.Add(time.Hour) // however slow the machine is
			if _, err := s.fetch(someID); !errors.Is(err, errPaused) {
				t.Errorf("after a failure: %v", err)
			}
		})
	}
}

func TestAMissingFileIsAskedForAgainAfterAWhile(t *testing.T) {
	s := serve(t, http.NotFound)
	for range 2 {
		if _, err := s.fetch(someID); !errors.Is(err, ErrNotOnServer) {
			t.Fatal(err)
		}
	}
	s.URLs = serve(t, text("debug data")).URLs
	if _, err := s.fetch(someID); !errors.Is(err, ErrNotOnServer) {
		t.Fatal("asked again at once: ", err)
	}
	before := time.Now().Add(-2 * missingFor)
	if err := os.Chtimes(s.entry(someID).path, before, before); err != nil {
		t.Fatal(err)
	}
	if _, err := s.fetch(someID); err != nil {
		t.Error(err)
	}
}

func TestTheEnvironmentSaysWhichServersAndWhereFilesAreKept(t *testing.T) {
	t.Setenv("DEBUGINFOD_URLS", "")
	if s := EnvironmentServer(); s != nil {
		t.Error("servers from nowhere: ", s.URLs)
	}
	t.Setenv("DEBUGINFOD_URLS", "http://one http://two")
	t.Setenv("DEBUGINFOD_CACHE_PATH", "")
	t.Setenv("XDG_CACHE_HOME", "/some/caches")
	s := EnvironmentServer()
	if s == nil || len(s.URLs) != 2 || s.URLs[1] != "http://two" || s.Cache != "/some/caches/debuginfod_client" {
		t.Errorf("%+v", s)
	}
	t.Setenv("DEBUGINFOD_CACHE_PATH", "/a/cache")
	if s = EnvironmentServer(); s.Cache != "/a/cache" {
		t.Error(s.Cache)
	}
}

func TestOnlyABuildIDIsSentToAServer(t *testing.T) {
	for id, want := range map[string]bool{someID: true, "": false, "ab": false, "../../etc": false, "ABCDEF": false} {
		if hexadecimal(id) != want {
			t.Errorf("%q", id)
		}
	}
}

// Errors are in profiles.
func TestErrorsHaveNoSecretOfAnAddress(t *testing.T) {
	failing := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }).URLs[0]
	broken := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }).URLs[0]
	for address, want := range map[string]string{failing: "502 Bad Gateway", broken: "EOF", "http://no:such/": "no URL"} {
		address = strings.Replace(address, "http://", "http://user:password@", 1) + "?token=abcdefgh"
		s := &Server{URLs: []string{address}, Cache: t.TempDir(), Timeout: 10 * time.Minute, MaxBytes: 1000}
		_, err := s.fetch("abcd")
		if err == nil || strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "abcdefgh") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
