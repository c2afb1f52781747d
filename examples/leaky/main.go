package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	listen      string
	dumps       string
	blackBox    string
	sampleBytes int64
}

func main() {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`address` to serve on")
	flag.StringVar(&o.dumps, "dumps", os.Getenv("LEAKY_DUMPS"), "`directory` for profiles on SIGUSR2 (default $LEAKY_DUMPS)")
	flag.StringVar(&o.blackBox, "blackbox", os.Getenv("CGOHEAP_BLACKBOX"), "`directory` for what is recorded, to outlive a kill (default $CGOHEAP_BLACKBOX)")
	flag.Int64Var(&o.sampleBytes, "sample-bytes", 0, "mean `bytes` between samples; 0 is the profiler's default")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		slog.Error("leaky ends", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. The profiler comes first, so that it sees all that the service allocates.
func run(ctx context.Context, o options) error {
	profiler, err := startProfiler(o)
	if err != nil {
		return err
	}
	defer profiler.stop()
	service, err := newService()
	if err != nil {
		return err
	}
	defer service.close()

	mux := http.NewServeMux()
	service.mount(mux)
	profiler.mount(mux)
	return serve(ctx, o.listen, mux)
}

func serve(ctx context.Context, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	slog.Info("leaky serves", "address", listener.Addr().String())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("shutting down: %w", err)
	}
	return nil
}
