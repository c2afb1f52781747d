package symbolize

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cgoheap/cgoheap/internal/debugfile"
)

// debuginfod serves the given files by build ID, and counts requests.
func debuginfod(t testing.TB, files map[string]string) (asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		id, whole := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/buildid/"), "/debuginfo")
		path, known := files[id]
		if !whole || !known {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, path)
	}))
	t.Cleanup(server.Close)
	t.Setenv("DEBUGINFOD_URLS", server.URL)
	t.Setenv("DEBUGINFOD_CACHE_PATH", t.TempDir())
	return asked
}

func TestADebuginfodServerIsAskedOnlyIfAllowed(t *testing.T) {
	s := ship(t)
	asked := debuginfod(t, map[string]string{s.buildID: s.debug})
	unnamed(t, s.named(Options{}), needsServer)
	if n := asked.Load(); n != 0 {
		t.Fatalf("asked %d times", n)
	}
	s.check(t, s.named(Options{Debuginfod: true}))
	s.check(t, s.named(Options{Debuginfod: true}))
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for one file", n)
	}
}

func TestThatNoDebuginfodServerHasAFileIsRemembered(t *testing.T) {
	s := ship(t)
	asked := debuginfod(t, nil)
	for range 3 {
		unnamed(t, s.named(Options{Debuginfod: true}), notOnServer)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAServerThatFailedIsAskedAgainLater(t *testing.T) {
	s := ship(t)
	debuginfod(t, nil)
	t.Setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1")
	names := New(Options{Debuginfod: true})
	unnamed(t, names.Resolve(module(s.program), s.addresses), serverFailed)
	working := debuginfod(t, map[string]string{s.buildID: s.debug})
	names.finder.Server = debugfile.EnvironmentServer()
	named := 0
	for _, r := range names.Resolve(module(s.program), s.addresses) {
		named += len(r.Lines)
	}
	if working.Load() != 1 || named < len(s.addresses)/2 {
		t.Errorf("asked %d times, %d lines of %d addresses", working.Load(), named, len(s.addresses))
	}
}

func TestWhatALyingDebuginfodServerGivesIsRefusedAndNotKept(t *testing.T) {
	s, other := ship(t), ship(t, "-O1")
	debuginfod(t, map[string]string{s.buildID: other.debug})
	unnamed(t, s.named(Options{Debuginfod: true}), otherDebugFile)
	kept := filepath.Join(os.Getenv("DEBUGINFOD_CACHE_PATH"), s.buildID, "debuginfo")
	if _, err := os.Stat(kept); err == nil {
		t.Error("it is in the cache")
	}
}
