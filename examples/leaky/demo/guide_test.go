package main

import (
	"context"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

const guide = "../../../docs/guide.md"

// What the guide shows is what its commands print of the service, which it calls by the address that make serve has.
func TestSamplesOfTheGuide(t *testing.T) {
	dir, boxes := t.TempDir(), toolchain.Memory(t)
	command := filepath.Join(dir, "cgoheap")
	builds := exec.Command("go", "build", "-ldflags=-compressdwarf=false", "-o", command, "./cmd/cgoheap")
	builds.Dir = "../../.."
	if out, err := builds.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	binary, err := build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := start(t.Context(), binary, "-listen", "127.0.0.1:0", "-blackbox", boxes, "-sample-bytes", "4096")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.stop(nil) })
	if _, err := drive(t.Context(), s.url, 200); err != nil {
		t.Fatal(err)
	}
	run := func(arguments ...string) string {
		asked := exec.CommandContext(t.Context(), command, arguments...)
		asked.Dir = dir
		out, err := asked.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", arguments, err, out)
		}
		return string(out)
	}

	profiletest.CheckSample(t, guide, "cgoheap top -n 1 http://"+address, run("top", "-n", "1", s.url))

	grown := filepath.Join(dir, "growth.pb.gz")
	ctx, cancel := context.WithCancel(t.Context())
	driven := make(chan error)
	go func() { driven <- (&traffic{url: s.url, rounds: math.MaxInt64}).drive(ctx) }()
	err = os.WriteFile(grown, fetch(t, s.url+"/debug/pprof/cgoheap?view=growth&seconds=3"), 0o600)
	cancel()
	if <-driven; err != nil {
		t.Fatal(err)
	}
	profiletest.CheckSample(t, guide, "cgoheap top -n 1 growth.pb.gz", run("top", "-n", "1", "growth.pb.gz"))

	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.logged
	profiletest.CheckSample(t, guide, "cgoheap recover "+filepath.Dir(boxes), run("recover", boxes))
}

func fetch(t *testing.T, url string) []byte {
	t.Helper()
	answer, err := http.Get(url) //nolint:gosec // of the service that the test has started
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s, %v", url, answer.Status, body, err)
	}
	return body
}
