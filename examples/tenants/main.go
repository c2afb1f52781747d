package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sync"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

const pageBytes = 20_000

// pages is how many pages each tenant has rendered.
var pages = map[string]int{"acme": 300, "initech": 75, "umbra": 1800}

func main() {
	if err := run(os.Stdout, filepath.Join(os.TempDir(), "tenants.pb.gz")); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, path string) error {
	profiler, err := cgoheap.Start(cgoheap.Config{GoroutineLabels: true, SampleBytes: 64 << 10})
	if err != nil {
		return err
	}
	serve()
	var written bytes.Buffer
	if err := profiler.WriteProfile(&written); err != nil {
		return err
	}
	if err := os.WriteFile(path, written.Bytes(), 0o600); err != nil {
		return err
	}
	p, err := profile.Parse(&written)
	if err != nil {
		return err
	}
	printShares(out, p)
	fmt.Fprintf(out, "\ngo tool pprof -tags %[1]s\ngo tool pprof -top -tagfocus tenant=umbra %[1]s\n", path)
	return profiler.Stop()
}

// serve answers the requests of all tenants at once.
func serve() {
	var requests sync.WaitGroup
	for tenant, n := range pages {
		requests.Go(func() {
			for range n {
				handle(tenant)
			}
		})
	}
	requests.Wait()
}

// handle answers one request: all that it allocates, in Go or in C, is the tenant's.
func handle(tenant string) {
	pprof.Do(context.Background(), pprof.Labels("tenant", tenant), func(context.Context) {
		renderPage(pageBytes)
	})
}
