//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func TestGoToolPprofFetchesAProfileWithUnnamedAddresses(t *testing.T) {
	p := start(t, everything)
	profiletest.PlayTaking(t, p.Baseline)
	mux := http.NewServeMux()
	mux.Handle("GET /debug/pprof/cgoheap", p.Handler())
	mux.Handle("POST /debug/pprof/symbol", cgoheap.SymbolHandler())
	server := httptest.NewServer(mux)
	defer server.Close()
	if !profiletest.HasComment(take(t, p), "addresses without a name") {
		t.Skip("every address has a name here, so nothing is asked for")
	}
	command := exec.Command("go", "tool", "pprof", "-top", "-cum", server.URL+"/debug/pprof/cgoheap")
	command.Env = append(command.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := command.CombinedOutput()
	if err != nil || row(string(out), "Leak") == nil {
		t.Errorf("%v\n%s", err, out)
	}
}
