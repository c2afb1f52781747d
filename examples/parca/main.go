package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/parca"
)

func main() {
	address := flag.String("address", "http://localhost:7070", "where Parca is")
	token := flag.String("token-file", "", "a file with a bearer token")
	debuginfo := flag.Bool("debuginfo", false, "upload files that could not be named")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config := parca.Config{Address: *address, BearerTokenFile: *token, UploadDebuginfo: *debuginfo}
	if err := run(ctx, config, time.Tick(5*time.Millisecond)); err != nil {
		fmt.Fprintln(os.Stderr, "parca:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. The exporter stops before the profiler, because it takes a last profile.
func run(ctx context.Context, c parca.Config, ticks <-chan time.Time) (err error) {
	profiler, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profiler.Stop()) }()
	c.Labels = map[string]string{"job": "example", "region": "eu"}
	target, err := parca.New(c)
	if err != nil {
		return err
	}
	exporter, err := export.Start(profiler, target, export.Config{Logger: slog.Default()})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, exporter.Stop())
		fmt.Print(exporter.Stats())
	}()
	serve(ctx, ticks)
	return nil
}
