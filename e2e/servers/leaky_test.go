package servers

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// startLeaky starts the example service, which records every allocation, with more flags.
func startLeaky(t *testing.T, flags ...string) *process {
	t.Helper()
	address := toolchain.Loopback(toolchain.FreePort(t))
	p := &process{name: "leaky", url: "http://" + address, ready: "/healthz"}
	p.command = append([]string{built(t, "../../examples/leaky"), "-listen", address, "-sample-bytes", "1"}, flags...)
	launch(t, p)
	return p
}

// guilty are functions of the example's two leaks, by their handlers. Each pair is on one stack, the callee first.
var guilty = []string{
	"raster::thumbnail;…;main.(*service).handleThumbnail",
	"sqlite3_prepare_v2;…;main.(*service).handleReport",
}

// visit makes the service leak: thumbnails in C++, reports in SQLite.
func visit(t *testing.T, service *process, first, count int) {
	t.Helper()
	for n := range count {
		fetch(t, fmt.Sprintf("%s/thumbnail?photo=%d&width=96&visit=%d", service.url, n%5, first+n))
		fetch(t, fmt.Sprintf("%s/report?customer=7&after=%d", service.url, first+n))
	}
}

// fetch returns the body of an answer 200.
func fetch(t *testing.T, url string) []byte {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s, %v", url, response.Status, body, err)
	}
	return body
}

// localProfile returns the service's own profile, without a server in between.
func localProfile(t *testing.T, service *process) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(fetch(t, service.url+"/debug/pprof/cgoheap"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// localStacks returns one column of it.
func localStacks(t *testing.T, service *process, kind string) stacks {
	t.Helper()
	return mustStacks(t, localProfile(t, service), kind)
}

func mustStacks(t *testing.T, p *profile.Profile, kind string) stacks {
	t.Helper()
	s, err := stacksOf(p, kind)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// anyProfile returns a profile of the example service, which ends first, so that the profile can be pushed at any time.
func anyProfile(t *testing.T) (*profile.Profile, []byte) {
	t.Helper()
	service := startLeaky(t)
	visit(t, service, 0, 50)
	p := localProfile(t, service)
	service.end(syscall.SIGKILL)
	var data bytes.Buffer
	if err := p.Write(&data); err != nil {
		t.Fatal(err)
	}
	return p, data.Bytes()
}
