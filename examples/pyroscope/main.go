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
	"github.com/cgoheap/cgoheap/export/pyroscope"
)

func main() {
	address := flag.String("address", "http://localhost:4040", "where Pyroscope is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, time.Tick(5*time.Millisecond)); err != nil {
		fmt.Fprintln(os.Stderr, "pyroscope:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. The exporter stops before the profiler, because it takes a last profile.
func run(ctx context.Context, address string, ticks <-chan time.Time) (err error) {
	profiler, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profiler.Stop()) }()
	target, err := pyroscope.New(pyroscope.Config{
		Address:     address,
		ServiceName: "example",
		Labels:      map[string]string{"region": "eu"},
	})
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
