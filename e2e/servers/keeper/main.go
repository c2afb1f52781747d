package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
)

func main() {
	o := parseOptions()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		slog.Error("keeper ends", "error", err)
		os.Exit(1)
	}
}

// keeper is the service's profiler, with the exporters that deliver its profiles.
type keeper struct {
	profiler  *cgoheap.Profiler
	exporters []*export.Exporter
}

func run(ctx context.Context, o options) error {
	k, err := start(o)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return errors.Join(err, k.stop())
	}
	server := &http.Server{Handler: k.mux()}
	go func() {
		<-ctx.Done()
		_ = server.Shutdown(context.Background())
	}()
	if err = server.Serve(listener); errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, k.stop())
}

func start(o options) (*keeper, error) {
	targets, err := o.targets()
	if err != nil {
		return nil, err
	}
	k := &keeper{}
	if k.profiler, err = cgoheap.Start(cgoheap.Config{SampleBytes: 1, BlackBox: o.blackBox, Logger: slog.Default()}); err != nil {
		return nil, err
	}
	o.config.Logger = slog.Default()
	for _, target := range targets {
		exporter, err := export.Start(&heir{k.profiler, o.recovered}, target, o.config)
		if err != nil {
			return nil, errors.Join(err, k.stop())
		}
		k.exporters = append(k.exporters, exporter)
	}
	return k, nil
}

// stop delivers the remaining profiles.
func (k *keeper) stop() (err error) {
	for _, exporter := range k.exporters {
		err = errors.Join(err, exporter.Stop())
	}
	return errors.Join(err, k.profiler.Stop())
}

func (k *keeper) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /keep", handleKeep)
	mux.HandleFunc("POST /lend", handleLend)
	mux.HandleFunc("POST /tidy", func(http.ResponseWriter, *http.Request) { debug.FreeOSMemory() })
	mux.HandleFunc("GET /stats", k.handleStats)
	mux.Handle("GET /debug/pprof/cgoheap", k.profiler.Handler())
	mux.Handle("GET /debug/cgoheap/", k.profiler.PagesHandler())
	mux.Handle("POST /debug/cgoheap/", k.profiler.PagesHandler())
	return mux
}

func (k *keeper) handleStats(w http.ResponseWriter, _ *http.Request) {
	counters := cgoheap.Stats{}
	for _, exporter := range k.exporters {
		counters = append(counters, exporter.Stats()...)
	}
	_ = json.NewEncoder(w).Encode(counters)
}
