package servers

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// picturesVariable names the folder that pictures of the servers' own web pages go to. The servers must have been built with
// these pages, which the plain builds lack.
const picturesVariable = "CGOHEAP_PICTURES"

func TestPictureOfParcasPage(t *testing.T) {
	dir := pictures(t)
	service := startLeaky(t)
	parca := startScraping(t, service, "cgo_memory: {enabled: true, path: /debug/pprof/cgoheap}")
	for n := range 20 { // a chart that climbs
		visit(t, service, 50*n, 50)
		time.Sleep(time.Second)
	}
	const query = `cgo_memory:inuse_space:bytes:space:bytes{job="leaky"}`
	last, err := parca.last(query)
	if err != nil {
		t.Fatal(err)
	}
	nanoseconds := fmt.Sprint(last.at.UnixNano())
	page := parca.url + "/?" + url.Values{
		"expression_a": {query}, "time_selection_a": {"relative:minute|1"},
		"from_a": {fmt.Sprint(last.at.Add(-time.Minute).UnixMilli())}, "to_a": {fmt.Sprint(last.at.UnixMilli())},
		"selection_a": {query}, "merge_from_a": {nanoseconds}, "merge_to_a": {nanoseconds},
	}.Encode()
	take(t, page, filepath.Join(dir, "parca.png"), "handleReport", "handleThumbnail", "raster::thumbnail")
}

// Pyroscope's page has no address for one profile type. It shows the first, so the server gets only one.
func TestPictureOfPyroscopesPage(t *testing.T) {
	dir := pictures(t)
	server := startPyroscope(t)
	service := startLeaky(t)
	visit(t, service, 0, 400)
	local := localProfile(t, service)
	mustPush(t, onlyColumn(t, local, "inuse_space"), "-pyroscope", server.url, "-name", "memory", "-service", "leaky")
	eventually(t, "waiting for the profile", func() error {
		from, to := lately()
		_, err := server.sum("memory:inuse_space:bytes:space:bytes", `{service_name="leaky"}`, from, to)
		return err
	})
	take(t, server.url+"/", filepath.Join(dir, "pyroscope.png"), "memory:inuse_space:bytes:space:bytes", "sqlite3MemMalloc", "raster::Worker")
}

func pictures(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(picturesVariable)
	if dir == "" {
		t.Skipf("%s does not say where to: make pictures builds the servers with their pages and runs this test", picturesVariable)
	}
	return dir
}

func onlyColumn(t *testing.T, p *profile.Profile, name string) []byte {
	t.Helper()
	for column, v := range p.SampleType {
		if v.Type != name {
			continue
		}
		p.SampleType = []*profile.ValueType{v}
		for _, s := range p.Sample {
			s.Value = s.Value[column : column+1]
		}
	}
	var data bytes.Buffer
	if err := p.Write(&data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// take takes a picture of a page, which must show these texts.
func take(t *testing.T, page, path string, texts ...string) {
	t.Helper()
	shown := string(browse(t, page, "--dump-dom"))
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("the page does not show %s:\n%.2000s", text, shown)
		}
	}
	browse(t, page, "--screenshot="+path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	const most = 300 << 10
	if info.Size() > most {
		t.Errorf("%s has %d bytes, more than %d", path, info.Size(), most)
	}
}

// browse opens a page as a new user's browser does, and waits until it has been idle for long.
func browse(t *testing.T, page, what string) []byte {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("not found: chromium, which takes the pictures (Debian: apt-get install chromium)")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	command := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--user-data-dir="+t.TempDir(), "--window-size=1600,1240", "--virtual-time-budget=30000", what, page)
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, said.String())
	}
	return out
}
