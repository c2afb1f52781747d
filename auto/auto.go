package auto

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/cgoheap/cgoheap"
)

func init() {
	started = start(environment{os.Getenv, slog.Default()}, http.DefaultServeMux)
}

var started *cgoheap.Profiler

// Profiler is the one that the import started; nil if it was told not to, or could not.
func Profiler() *cgoheap.Profiler { return started }

func start(e environment, mux *http.ServeMux) *cgoheap.Profiler {
	if !e.flag("CGOHEAP", true) {
		return nil
	}
	profiler, err := cgoheap.Start(e.config())
	if err != nil && !errors.Is(err, cgoheap.ErrUnsupported) && !errors.Is(err, cgoheap.ErrRunning) {
		e.log.Warn("cgoheap: recording as if nothing were set", slog.Any("error", err))
		profiler, err = cgoheap.Start(cgoheap.Config{Logger: e.log})
	}
	if err != nil {
		e.log.Warn("cgoheap: not recording", slog.Any("error", err))
		return nil
	}
	if e.flag("CGOHEAP_HTTP", true) {
		e.serve(mux, profiler)
	}
	e.dump(profiler)
	return profiler
}

func (e environment) config() cgoheap.Config {
	return cgoheap.Config{
		SampleBytes:     e.bytes("CGOHEAP_SAMPLE_BYTES", 0),
		MaxDepth:        int(e.number("CGOHEAP_MAX_DEPTH", 0)),
		TableBytes:      e.bytes("CGOHEAP_TABLE_BYTES", 0),
		GoroutineLabels: e.flag("CGOHEAP_GOROUTINE_LABELS", false),
		ThreadNames:     e.flag("CGOHEAP_THREAD_NAMES", false),
		Logger:          e.log,
	}
}

// serve registers the handlers. A pattern that is taken is the program's, and a panic of the mux must not be.
func (e environment) serve(mux *http.ServeMux, profiler *cgoheap.Profiler) {
	for pattern, handler := range map[string]http.Handler{
		"GET /debug/pprof/cgoheap": profiler.Handler(),
		"POST /debug/pprof/symbol": cgoheap.SymbolHandler(),
	} {
		func() {
			defer func() {
				if taken := recover(); taken != nil {
					e.log.Warn("cgoheap: not served", slog.Any("error", fmt.Errorf("%v", taken)))
				}
			}()
			mux.Handle(pattern, handler)
		}()
	}
}

func (e environment) dump(profiler *cgoheap.Profiler) {
	d := cgoheap.Dumps{
		Dir:       e.text("CGOHEAP_DUMP_DIR", os.TempDir()),
		Signals:   e.signals("CGOHEAP_SIGNAL"),
		Keep:      int(e.number("CGOHEAP_DUMP_KEEP", 10)),
		KeepBytes: e.bytes("CGOHEAP_DUMP_KEEP_BYTES", 0),
		HighWater: cgoheap.HighWater{
			Native: e.bytes("CGOHEAP_HIGH_NATIVE", 0),
			RSS:    e.bytes("CGOHEAP_HIGH_RSS", 0),
			Cgroup: e.share("CGOHEAP_HIGH_CGROUP"),
		},
	}
	if len(d.Signals) == 0 && d.HighWater == (cgoheap.HighWater{}) {
		return
	}
	if _, err := profiler.Dump(d); err != nil {
		e.log.Warn("cgoheap: no dumps", slog.Any("error", err))
	}
}
