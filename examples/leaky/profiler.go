package main

import (
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/cgoheap/cgoheap"
)

// profiler is all that is needed to profile this service.
type profiler struct {
	heap      *cgoheap.Profiler
	stopDumps func()
}

func startProfiler(o options) (*profiler, error) {
	heap, err := cgoheap.Start(cgoheap.Config{SampleBytes: o.sampleBytes, Suspects: true, Timeline: true,
		BlackBox: o.blackBox, Logger: slog.Default()})
	if err != nil {
		return nil, fmt.Errorf("starting the profiler: %w", err)
	}
	p := &profiler{heap: heap, stopDumps: func() {}}
	if o.dumps == "" {
		return p, nil
	}
	if p.stopDumps, err = heap.DumpOnSignal(o.dumps); err != nil {
		return nil, errors.Join(fmt.Errorf("dumping on SIGUSR2: %w", err), heap.Stop())
	}
	return p, nil
}

func (p *profiler) mount(mux *http.ServeMux) {
	mux.Handle("GET /debug/pprof/cgoheap", p.heap.Handler())
	mux.Handle("GET /debug/cgoheap/", p.heap.PagesHandler())
	mux.Handle("POST /debug/cgoheap/", p.heap.PagesHandler())
	mux.Handle("GET /debug/vars", expvar.Handler())
}

func (p *profiler) stop() {
	p.stopDumps()
	if err := p.heap.Stop(); err != nil {
		slog.Error("the profiler does not stop", "error", err)
	}
}
