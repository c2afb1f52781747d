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
	e := newEnvironment(os.Environ(), slog.New(newReports(nil)))
	e.log = slog.New(newReports(e.level("CGOHEAP_LOG")))
	started = start(e, http.DefaultServeMux)
}

var started *cgoheap.Profiler

// Profiler is the one that the import started; nil if it was told not to, or could not.
func Profiler() *cgoheap.Profiler { return started }

func start(e environment, mux *http.ServeMux) *cgoheap.Profiler {
	if !e.flag("CGOHEAP", true) {
		return nil
	}
	profiler, err := e.record()
	if err != nil {
		e.log.Warn("cgoheap: not recording", slog.Any("error", err))
		return nil
	}
	if e.flag("CGOHEAP_HTTP", true) {
		e.serve(mux, profiler)
	}
	e.dump(profiler)
	e.reportUnread()
	return profiler
}

// record starts the profiler. A variable that it refuses is reported and left at its default.
func (e environment) record() (*cgoheap.Profiler, error) {
	config := e.config()
	for {
		profiler, err := cgoheap.Start(config)
		refused := (*cgoheap.ConfigError)(nil)
		if !errors.As(err, &refused) {
			return profiler, err
		}
		e.log.Warn("cgoheap: a variable makes no sense", slog.Any("error", err))
		switch refused.Field {
		case "SampleBytes":
			config.SampleBytes = 0
		case "MaxDepth":
			config.MaxDepth = 0
		case "TableBytes":
			config.TableBytes = 0
		default:
			return nil, err
		}
	}
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
	for len(d.Signals) > 0 || d.HighWater != (cgoheap.HighWater{}) {
		_, err := profiler.Dump(d)
		if err == nil {
			return
		}
		unreadable := (*cgoheap.LevelError)(nil)
		if !errors.As(err, &unreadable) {
			e.log.Warn("cgoheap: no dumps", slog.Any("error", err))
			return
		}
		e.log.Warn("cgoheap: a level of memory is not watched", slog.Any("error", err))
		switch unreadable.Field {
		case "RSS":
			d.HighWater.RSS = 0
		case "Cgroup":
			d.HighWater.Cgroup = 0
		default:
			return
		}
	}
}
